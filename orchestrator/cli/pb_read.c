/* See pb_read.h. */
#include "orchestrator/cli/pb_read.h"

#include <string.h>

#include "common/model/pb_result.h"

void pb_read_id(const ProtobufCBinaryData *id, char out[33])
{
	out[0] = '\0';
	if (id->len != 16)
		return;
	for (size_t i = 0; i < 16; i++) {
		out[2 * i] = "0123456789abcdef"[id->data[i] >> 4];
		out[2 * i + 1] = "0123456789abcdef"[id->data[i] & 15];
	}
	out[32] = '\0';
}

struct semantic_names pb_read_names(struct arena *a, char **items, size_t n)
{
	struct semantic_names names = {arena_new_array(a, n, const char *), n};

	for (size_t i = 0; i < n; i++)
		names.items[i] = arena_strdup(a, items[i]);
	return names;
}

int pb_read_result(const Nlq__ResultSet *m, struct resultset **ret_result, struct err *e)
{
	return pb_result_read(m, ret_result, e);
}

static const char *text(struct arena *a, const char *s)
{
	return s ? arena_strdup(a, s) : "";
}

static void read_lines(const Nlq__AskReply *m, struct arena *a, struct answer *out)
{
	out->lines = arena_new_array(a, m->n_certificate, struct certificate_line);
	for (size_t i = 0; i < m->n_certificate; i++) {
		out->lines[i].check = arena_strdup(a, m->certificate[i]->check);
		out->lines[i].verdict = (enum check_verdict)m->certificate[i]->verdict;
		out->lines[i].detail = text(a, m->certificate[i]->detail);
	}
	out->n_lines = m->n_certificate;
	out->tables = arena_new_array(a, m->n_tables, struct answer_named);
	for (size_t i = 0; i < m->n_tables; i++) {
		out->tables[i].name = arena_strdup(a, m->tables[i]->name);
		out->tables[i].text = text(a, m->tables[i]->why);
	}
	out->n_tables = m->n_tables;
	out->timings = arena_new_array(a, m->n_timings, struct answer_timing);
	for (size_t i = 0; i < m->n_timings; i++) {
		out->timings[i].stage = arena_strdup(a, m->timings[i]->stage);
		out->timings[i].ms = m->timings[i]->ms;
	}
	out->n_timings = m->n_timings;
}

static int read_steps(const Nlq__AskReply *m, struct arena *a, struct answer *out, struct err *e)
{
	int rc = 0;

	out->steps = arena_new_array(a, m->n_steps, struct answer_step);
	for (size_t i = 0; !rc && i < m->n_steps; i++) {
		struct answer_step *s = &out->steps[out->n_steps++];

		s->sql = arena_strdup(a, m->steps[i]->sql);
		s->purpose = text(a, m->steps[i]->purpose);
		if (m->steps[i]->error)
			wire_error_to_err(&s->err, m->steps[i]->error);
		if (m->steps[i]->result)
			rc = pb_result_read(
			    m->steps[i]->result, (struct resultset **)&s->result, e);
	}
	return rc;
}

int pb_read_answer(
    const Nlq__AskReply *m, struct arena *a, struct answer *ret_answer, struct err *e)
{
	struct answer out = {0};
	int rc;

	pb_read_id(&m->request_id, out.request_id);
	out.outcome = arena_strdup(a, m->outcome);
	out.answer = arena_strdup(a, m->answer);
	out.unit = arena_strdup(a, m->unit);
	out.sql = arena_strdup(a, m->sql);
	out.generator = text(a, m->generator);
	out.has_confidence = m->has_confidence;
	out.confidence = m->confidence;
	out.assumptions = pb_read_names(a, m->assumptions, m->n_assumptions);
	out.definitions = pb_read_names(a, m->definitions, m->n_definitions);
	out.options = pb_read_names(a, m->options, m->n_options);
	if (m->error) {
		out.has_error = true;
		wire_error_to_err(&out.err, m->error);
	}
	read_lines(m, a, &out);
	rc = read_steps(m, a, &out, e);
	if (!rc && m->result)
		rc = pb_result_read(m->result, &out.result, e);
	if (rc)
		pb_answer_done(&out);
	else
		*ret_answer = out;
	return rc;
}

void pb_answer_done(struct answer *a)
{
	for (size_t i = 0; i < a->n_steps; i++)
		resultset_free((struct resultset *)(uintptr_t)a->steps[i].result);
	resultset_free(a->result);
	a->n_steps = 0;
	a->result = NULL;
}
