/* Messages to plain structs and back, see handlers.h. */
#include "verify_agent/handlers.h"

#include "agents.pb-c.h"
#include "common/model/pb_grounding.h"
#include "common/model/pb_result.h"
#include "common/wire/wire.h"
#include "verify_agent/verify.h"

struct request {
	struct grounding *grounding;
	size_t n_steps;
	struct verify_step steps[VERIFY_MAX_STEPS];
	struct resultset *results[VERIFY_MAX_STEPS];
	struct err errors[VERIFY_MAX_STEPS];
};

static void request_done(struct request *q)
{
	grounding_free(q->grounding);
	for (size_t i = 0; i < VERIFY_MAX_STEPS; i++) {
		resultset_free(q->results[i]);
	}
}

static int read_step(struct request *q, size_t i, const Nlq__Observation *m, struct err *e)
{
	q->steps[i] = (struct verify_step){.sql = m->sql, .purpose = m->purpose};
	if (m->error) {
		wire_error_to_err(&q->errors[i], m->error);
		q->steps[i].error = &q->errors[i];
	}
	if (m->result) {
		int r = pb_result_read(m->result, &q->results[i], e);
		if (r < 0) {
			return r;
		}
		q->steps[i].result = q->results[i];
	}
	return 0;
}

static int read_request(struct request *q, const Nlq__VerifyRequest *m, struct err *e)
{
	if (m->n_steps > VERIFY_MAX_STEPS) {
		return err_set(e, ERR_TOO_LARGE, PHASE_VERIFY,
		    "more than %d queries in one request", VERIFY_MAX_STEPS);
	}
	q->n_steps = m->n_steps;
	int r = pb_grounding_read(m->grounding, &q->grounding, e);
	for (size_t i = 0; r == 0 && i < m->n_steps; i++) {
		r = read_step(q, i, m->steps[i], e);
	}
	return r;
}

int handle_verify(struct rpc_job *job, struct strbuf *ret_body, struct err *e)
{
	ProtobufCMessage *m = NULL;
	struct request *q = NULL;
	struct verdict *v = NULL;
	struct arena a = ARENA_INIT;
	int r = wire_unpack(&nlq__verify_request__descriptor, job->body, job->len, &m, e);
	if (r < 0) {
		goto out;
	}
	const Nlq__VerifyRequest *in = (const Nlq__VerifyRequest *)m;
	q = arena_new(&a, struct request);
	r = read_request(q, in, e);
	if (r < 0) {
		goto out;
	}
	r = verify_request(q->grounding, q->steps, q->n_steps, (double)in->confidence,
	    in->template_, (const char *const *)in->assumptions, in->n_assumptions, &v, e);
	if (r < 0) {
		goto out;
	}
	r = wire_pack(ret_body, &pb_verdict_message(&a, v)->base, e);
out:
	verdict_free(v);
	if (q) {
		request_done(q);
	}
	arena_done(&a);
	wire_free(m);
	return r;
}
