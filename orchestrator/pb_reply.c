/* See pb_reply.h. Builds the message out of borrowed parts in the request's
 * arena; nothing is copied but what is packed. */
#include "orchestrator/pb_reply.h"

#include <string.h>

#include "agents.pb-c.h"
#include "client.pb-c.h"
#include "exec.pb-c.h"
#include "orchestrator/pb_call.h"

const char *pb_reply_outcome(const struct flow *f)
{
	switch (f->outcome) {
	case FLOW_ANSWER: return "answered";
	case FLOW_DESCRIBE: return "described";
	case FLOW_DECLINE: return "declined";
	case FLOW_CLARIFY: return "clarify";
	default: return "failed";
	}
}

static void set_names(size_t *ret_n, char ***ret_items, const struct semantic_names *names)
{
	*ret_n = names->n;
	*ret_items = (char **)(uintptr_t)names->items;
}

static Nlq__Error *error_message(struct arena *a, const struct err *e)
{
	Nlq__Error *m = arena_new(a, Nlq__Error);

	nlq__error__init(m);
	wire_error_from_err(m, e);
	return m;
}

static Nlq__ResultSet *result_of(const struct flow_step *s)
{
	return ((Nlq__RunReply *)s->rows.message)->result;
}

static void add_steps(struct arena *a, Nlq__AskReply *m, const struct flow *f, bool with_results)
{
	const struct flow_step *last = flow_last(f);

	m->steps = arena_new_array(a, f->n_steps, Nlq__Step *);
	for (size_t i = 0; i < f->n_steps; i++) {
		const struct flow_step *s = &f->steps[i];
		Nlq__Step *step = arena_new(a, Nlq__Step);

		nlq__step__init(step);
		step->sql = PB_STR(s->has_rows ? s->rows.sql_shown : s->sql);
		step->purpose = PB_STR(s->purpose);
		/* The last one's rows are the answer's; those of a query that was sent
		 * back are not vouched for and are not shown. */
		if (s->has_rows && s != last && !s->is_superseded && with_results)
			step->result = result_of(s);
		if (!s->has_rows && s->err.code)
			step->error = error_message(a, &s->err);
		m->steps[m->n_steps++] = step;
	}
}

static void add_line(struct arena *a, Nlq__AskReply *m, const char *check,
    enum check_verdict verdict, const char *detail)
{
	Nlq__CertificateLine *line = arena_new(a, Nlq__CertificateLine);

	nlq__certificate_line__init(line);
	line->check = PB_STR(check);
	line->verdict = verdict;
	line->detail = PB_STR(detail);
	m->certificate[m->n_certificate++] = line;
}

static void add_verdict(struct arena *a, Nlq__AskReply *m, const struct flow *f)
{
	const struct verdict *v = f->verdict;
	const struct flow_step *last = flow_last(f);
	size_t n = (v ? v->n_lines : 0) + 2;

	m->certificate = arena_new_array(a, n, Nlq__CertificateLine *);
	for (size_t i = 0; v && i < v->n_lines; i++)
		add_line(a, m, v->lines[i].check, v->lines[i].verdict, v->lines[i].detail);
	if (f->empty_note)
		add_line(a, m, "empty", CHECK_NOTE, f->empty_note);
	if (last && last->rows.truncated && f->outcome == FLOW_ANSWER)
		add_line(a, m, "cut", CHECK_NOTE,
		    arena_printf(a,
		        f->grounding.is_chinese
		            ? "只显示前 %zu 行，结果还有更多行"
		            : "only the first %zu rows are shown; there are more",
		        last->rows.n_rows));
	if (!v)
		return;
	m->has_confidence = 1;
	m->confidence = v->confidence;
	set_names(&m->n_assumptions, &m->assumptions, &v->assumptions);
	set_names(&m->n_definitions, &m->definitions, &v->definitions);
}

static void add_tables(struct arena *a, Nlq__AskReply *m, const struct flow *f)
{
	m->tables = arena_new_array(a, f->grounding.n_tables, Nlq__TableUse *);
	for (size_t i = 0; i < f->grounding.n_tables; i++) {
		Nlq__TableUse *t = arena_new(a, Nlq__TableUse);

		nlq__table_use__init(t);
		t->name = PB_STR(f->grounding.tables[i].name);
		t->why = PB_STR(f->grounding.tables[i].why);
		m->tables[m->n_tables++] = t;
	}
}

static void add_timings(struct arena *a, Nlq__AskReply *m, const struct flow *f, double total_ms)
{
	m->timings = arena_new_array(a, FLOW_STATES + 1, Nlq__Timing *);
	for (size_t i = 0; i <= FLOW_STATES; i++) {
		double ms = i == FLOW_STATES ? total_ms : f->stage_ms[i];
		Nlq__Timing *t;

		if (ms <= 0)
			continue;
		t = arena_new(a, Nlq__Timing);
		nlq__timing__init(t);
		t->stage = PB_STR(i == FLOW_STATES ? "total" : flow_state_name((enum flow_state)i));
		t->ms = ms;
		m->timings[m->n_timings++] = t;
	}
}

static void fill(struct arena *a, Nlq__AskReply *m, const struct flow *f, double total_ms)
{
	const struct flow_step *last = flow_last(f);

	m->request_id = PB_BYTES(f->x->request, sizeof(f->x->request));
	m->outcome = PB_STR(pb_reply_outcome(f));
	m->generator = PB_STR(f->candidate.generator ? f->candidate.generator : "");
	if (last)
		m->sql = PB_STR(last->rows.sql_shown);
	if (f->outcome == FLOW_ANSWER) {
		m->result = result_of(last);
		m->answer = PB_STR(f->verdict->answer);
		m->unit = PB_STR(f->verdict->unit);
	} else if (f->outcome == FLOW_DESCRIBE) {
		m->answer = PB_STR(f->text);
	} else {
		m->error = error_message(a, &f->err);
		if (f->outcome != FLOW_FAIL)
			m->answer = PB_STR(f->text ? f->text : f->err.text);
		if (f->outcome == FLOW_CLARIFY)
			set_names(&m->n_options, &m->options, &f->options);
	}
	add_verdict(a, m, f);
	add_tables(a, m, f);
	add_timings(a, m, f, total_ms);
}

int pb_reply_pack(struct strbuf *out, const struct flow *f, double total_ms, struct err *e)
{
	struct arena *a = f->x->arena;
	Nlq__AskReply m = NLQ__ASK_REPLY__INIT;
	int rc;

	fill(a, &m, f, total_ms);
	add_steps(a, &m, f, true);
	rc = wire_pack(out, &m.base, e);
	if (rc != ERR_TOO_LARGE)
		return rc;
	m.n_steps = 0;
	add_steps(a, &m, f, false);
	strbuf_clear(out);
	return wire_pack(out, &m.base, e);
}
