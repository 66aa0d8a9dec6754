/* nlq-verify-agent: is a candidate query what was asked, and can it be vouched
 * for? Stateless; touches no database and calls no model. */
#include "common/daemon/daemon.h"
#include "verify_agent/handlers.h"

static const struct rpc_handler handlers[] = {
    {NLQ__KIND__VERIFY, "verify", handle_verify},
};

static const struct agent_spec spec = {
    .name = "verify-agent",
    .help = "holds candidate queries against the question and words the answer",
    .role = NLQ__ROLE__ROLE_VERIFY,
    .default_slots = 2,
    .handlers = handlers,
    .n_handlers = ARRAY_SIZE(handlers),
};

int main(int argc, char **argv)
{
	return agent_main(argc, argv, &spec);
}
