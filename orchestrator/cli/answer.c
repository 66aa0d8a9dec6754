/* See answer.h. */
#include "orchestrator/cli/answer.h"

#include <string.h>

int answer_exit_code(const struct answer *a)
{
	static const struct {
		const char *outcome;
		int code;
	} codes[] = {
	    {"answered", 0},
	    {"described", 0},
	    {"declined", 3},
	    {"clarify", 4},
	};

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		if (strcmp(a->outcome, codes[i].outcome) == 0)
			return codes[i].code;
	}
	return a->has_error ? err_code_exit(a->err.code) : 1;
}
