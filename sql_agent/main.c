/* nlq-sql-agent: one step of a question at a time. Holds no state between jobs. */
#include "common/daemon/daemon.h"
#include "sql_agent/handlers.h"

static const char *const generator_names[] = {"compose", NULL};

static struct {
	int generator;
	uint32_t floor_percent;
} set = {.floor_percent = 60};

static const struct conf_row rows[] = {
    {"generator", CONF_ENUM, &set.generator, 0, 0, generator_names, "what writes the queries"},
    {"floor_percent", CONF_UINT, &set.floor_percent, 0, 100, NULL,
        "confidence below which a question is declined"},
};

static int start(struct err *e)
{
	(void)e;
	sql_agent_handlers_init(
	    generator_find(generator_names[set.generator]), set.floor_percent / 100.0);
	return 0;
}

int main(int argc, char **argv)
{
	const struct agent_spec spec = {
	    .name = "sql-agent",
	    .help = "writes the next query of a question",
	    .role = NLQ__ROLE__ROLE_SQL,
	    .default_slots = 2,
	    .rows = rows,
	    .n_rows = ARRAY_SIZE(rows),
	    .handlers = sql_agent_handlers,
	    .n_handlers = sql_agent_n_handlers,
	    .start = start,
	};

	return agent_main(argc, argv, &spec);
}
