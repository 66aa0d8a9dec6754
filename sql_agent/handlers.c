/* Decoding is checked by common/wire and the pb_ readers; what comes out of them
 * can be followed without looking. */
#include "sql_agent/handlers.h"

#include "agents.pb-c.h"
#include "common/base/log.h"
#include "common/model/pb_grounding.h"
#include "common/model/pb_result.h"
#include "common/wire/wire.h"

#define MAX_HISTORY 16

static struct {
	const struct generator *generator;
	double floor;
} agent;

void sql_agent_handlers_init(const struct generator *g, double floor)
{
	agent.generator = g;
	agent.floor = floor;
}

struct request {
	struct grounding *grounding;
	struct compose_past past[MAX_HISTORY];
	struct resultset *results[MAX_HISTORY];
	struct err errors[MAX_HISTORY];
	size_t n_past;
};

static void request_done(struct request *q)
{
	grounding_free(q->grounding);
	for (size_t i = 0; i < q->n_past; i++)
		resultset_free(q->results[i]);
}

static int read_past(const Nlq__StepRequest *m, struct request *q, struct err *e)
{
	if (m->n_history > MAX_HISTORY)
		return err_set(
		    e, ERR_TOO_LARGE, PHASE_GENERATE, "more than %d earlier steps", MAX_HISTORY);
	for (size_t i = 0; i < m->n_history; i++) {
		const Nlq__Observation *o = m->history[i];
		int rc = o->result ? pb_result_read(o->result, &q->results[i], e) : 0;

		if (rc < 0)
			return rc;
		q->n_past = i + 1;
		q->past[i].sql = o->sql;
		q->past[i].purpose = o->purpose;
		q->past[i].result = q->results[i];
		if (o->error) {
			wire_error_to_err(&q->errors[i], o->error);
			q->past[i].error = &q->errors[i];
		}
	}
	return 0;
}

/* --- reply -------------------------------------------------------------------------- */

static char *text(const char *s)
{
	return (char *)(s ? s : "");
}

static void pack_candidate(const struct compose_reply *r, Nlq__Candidate *c)
{
	c->sql = text(r->sql);
	c->purpose = text(r->purpose);
	c->confidence = (float)r->confidence;
	c->has_more = true;
	c->more = r->more;
	c->n_assumptions = r->assumptions.n;
	c->assumptions = (char **)r->assumptions.items;
}

static void pack_decline(const struct compose_reply *r, Nlq__Decline *d)
{
	d->reason = text(r->reason);
	d->n_unmapped = r->unmapped.n;
	d->unmapped = (char **)r->unmapped.items;
	d->n_near = r->near.n;
	d->near = (char **)r->near.items;
}

static int pack_reply(const struct compose_reply *r, struct strbuf *ret_body, struct err *e)
{
	Nlq__StepReply m = NLQ__STEP_REPLY__INIT;
	Nlq__Candidate candidate = NLQ__CANDIDATE__INIT;
	Nlq__Decline decline = NLQ__DECLINE__INIT;
	Nlq__Clarify clarify = NLQ__CLARIFY__INIT;

	m.generator = text(agent.generator->name);
	switch (r->kind) {
	case COMPOSE_CANDIDATE:
		pack_candidate(r, &candidate);
		m.candidate = &candidate;
		break;
	case COMPOSE_DECLINE:
		pack_decline(r, &decline);
		m.decline = &decline;
		break;
	case COMPOSE_CLARIFY:
		clarify.question = text(r->question);
		clarify.n_options = r->options.n;
		clarify.options = (char **)r->options.items;
		m.clarify = &clarify;
		break;
	}
	return wire_pack(ret_body, &m.base, e);
}

/* --- step ------------------------------------------------------------------------------ */

static int run_step(
    const Nlq__StepRequest *m, struct request *q, struct strbuf *ret_body, struct err *e)
{
	struct compose_reply *reply;
	int rc = pb_grounding_read(m->grounding, &q->grounding, e);

	if (rc == 0)
		rc = read_past(m, q, e);
	if (rc == 0)
		rc = agent.generator->step(q->grounding, q->past, q->n_past,
		    m->has_floor ? (double)m->floor : agent.floor, &reply, e);
	if (rc < 0)
		return rc;
	rc = pack_reply(reply, ret_body, e);
	compose_reply_free(reply);
	return rc;
}

int sql_agent_handlers_step(const void *body, size_t len, struct strbuf *ret_body, struct err *e)
{
	struct request q = {NULL};
	ProtobufCMessage *m;
	int rc = wire_unpack(&nlq__step_request__descriptor, body, len, &m, e);

	if (rc < 0)
		return rc;
	rc = run_step((const Nlq__StepRequest *)m, &q, ret_body, e);
	request_done(&q);
	wire_free(m);
	return rc;
}

static int handle_step(struct rpc_job *job, struct strbuf *ret_body, struct err *e)
{
	int rc;

	if (rpc_job_cancelled(job))
		return err_set(e, ERR_CANCELLED, PHASE_GENERATE, "the request was given up");
	rc = sql_agent_handlers_step(job->body, job->len, ret_body, e);
	if (rc < 0)
		log_warn("step failed code=%s", err_code_name((enum err_code)rc));
	return rc;
}

const struct rpc_handler sql_agent_handlers[] = {
    {NLQ__KIND__STEP, "step", handle_step},
};
const size_t sql_agent_n_handlers = ARRAY_SIZE(sql_agent_handlers);
