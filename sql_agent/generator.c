/* The table of generators. */
#include <string.h>

#include "sql_agent/generator.h"

static const struct generator generators[] = {
    {"compose", compose_step},
};

const struct generator *generator_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(generators); i++)
		if (strcmp(generators[i].name, name) == 0)
			return &generators[i];
	return NULL;
}
