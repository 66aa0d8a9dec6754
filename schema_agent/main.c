/* nlq-schema-agent: which tables, columns, values, terms and times a question is
 * about. Stateless; touches no database and calls no model. */
#include "common/daemon/daemon.h"
#include "schema_agent/ground.h"
#include "schema_agent/handlers.h"

static uint32_t alpha_percent = 40, floor_percent = 8, max_tables = GROUND_MAX_TABLES, indexes = 4;

static const struct conf_row rows[] = {
    {"alpha_percent", CONF_UINT, &alpha_percent, 1, 100, NULL,
        "weight of the vector score against the keyword score"},
    {"floor_percent", CONF_UINT, &floor_percent, 1, 100, NULL,
        "score below which a table is not about the question"},
    {"max_tables", CONF_UINT, &max_tables, 1, 100, NULL,
        "tables in a context, besides those that the question names"},
    {"indexes", CONF_UINT, &indexes, 1, 256, NULL, "derived indexes kept in memory"},
};

static const struct rpc_handler handlers[] = {
    {NLQ__KIND__GROUND, "ground", handle_ground},
    {NLQ__KIND__SEARCH, "search", handle_search},
};

static int start(struct err *e)
{
	(void)e;
	schema_agent_handlers_init(&(struct handler_settings){
	    .alpha = alpha_percent / 100.0,
	    .floor = floor_percent / 100.0,
	    .max_tables = max_tables,
	    .indexes = indexes,
	});
	return 0;
}

static const struct agent_spec spec = {
    .name = "schema-agent",
    .help = "finds what a question is about in a source's catalog",
    .role = NLQ__ROLE__ROLE_SCHEMA,
    .default_slots = 2,
    .rows = rows,
    .n_rows = ARRAY_SIZE(rows),
    .handlers = handlers,
    .n_handlers = ARRAY_SIZE(handlers),
    .start = start,
    .stop = schema_agent_handlers_done,
};

int main(int argc, char **argv)
{
	return agent_main(argc, argv, &spec);
}
