/* What is done in each state of the flow. Each function makes at most one call
 * of an agent, fills the flow, and returns the event. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/base/strbuf.h"
#include "common/base/utf8.h"
#include "orchestrator/explain_empty.h"
#include "orchestrator/flow.h"

#define PROGRESS_MAX 400 /* bytes of one line */
#define PROGRESS_FORMAT_MAX (128 * 1024)

static void progress(struct flow *f, const char *step, const char *fmt, ...) NLQ_PRINTF(3, 4);
static void progress(struct flow *f, const char *step, const char *fmt, ...)
{
	struct strbuf text;
	va_list ap;

	if (!f->progress)
		return;
	strbuf_init(&text, PROGRESS_FORMAT_MAX);
	va_start(ap, fmt);
	strbuf_vprintf(&text, fmt, ap);
	va_end(ap);
	text.data[utf8_cut(text.data, text.len, PROGRESS_MAX)] = '\0';
	f->progress(f->progress_arg, step, text.data);
	strbuf_done(&text);
}

static const char *join(struct arena *a, const struct semantic_names *names, size_t max)
{
	const char *out = "";

	for (size_t i = 0; i < names->n && i < max; i++)
		out = arena_printf(a, "%s%s%s", out, i ? ", " : "", names->items[i]);
	return out;
}

static enum flow_event get_catalog(struct flow *f, const struct catalog_entry *stale)
{
	struct catalog_entry *entry = NULL;
	bool fresh = false;

	if (catalogs_get(
	        f->catalogs, f->x->source, f->x, f->x->deadline_ms, stale, &entry, &fresh, &f->err))
		return FLOW_ERROR;
	catalogs_put(f->catalogs, f->entry);
	f->entry = entry;
	f->is_fresh = fresh;
	if (fresh)
		progress(f, "catalog", "described %zu tables", entry->catalog->n_tables);
	if (!entry->catalog->n_tables) {
		err_set(&f->err, ERR_SOURCE_EMPTY, PHASE_DESCRIBE,
		    "the database \"%s\" has no tables", f->x->source);
		err_fix(&f->err, "is it the right file?");
		return FLOW_ERROR;
	}
	return FLOW_OK;
}

static flow_state_fn state_recheck;

/* A description of a schema that has changed since would be wrong: look first. */
static enum flow_event look_what_about(struct flow *f)
{
	enum flow_event event;

	f->about = about_question(f->question, f->entry->catalog, f->entry->model);
	if (f->about.kind == ABOUT_DATA)
		return FLOW_OK;
	event = state_recheck(f);
	return event == FLOW_OK ? FLOW_ABOUT : event;
}

static enum flow_event state_catalog(struct flow *f)
{
	enum flow_event event = get_catalog(f, NULL);

	return event == FLOW_OK ? look_what_about(f) : event;
}

static enum flow_event state_refresh(struct flow *f)
{
	progress(f, "catalog", "the database has changed; reading it again");
	f->has_refreshed = true;
	f->has_values = false;
	f->has_grounding = false;
	memset(&f->revise, 0, sizeof(f->revise));
	for (size_t i = 0; i < f->n_steps; i++)
		f->steps[i].is_superseded = true;
	enum flow_event event = get_catalog(f, f->entry);

	return event == FLOW_OK ? look_what_about(f) : event;
}

static enum flow_event state_ground(struct flow *f)
{
	struct catalog_entry *entry = f->entry;
	struct agent_ground_args args = {
	    .question = f->question,
	    .today = f->today,
	    .catalog = entry->catalog_hash,
	    .semantic = entry->model_hash,
	    .has_semantic = entry->model != NULL,
	    .is_cold = !__atomic_load_n(&entry->is_grounded, __ATOMIC_RELAXED),
	    .full = entry->catalog,
	    .values = f->has_values ? &f->values : NULL,
	    .only_tables = f->only_tables,
	};
	struct agent_grounding *g = &f->grounding;

	if (agent_ground(f->x, &args, g, &f->err))
		return FLOW_ERROR;
	__atomic_store_n(&entry->is_grounded, true, __ATOMIC_RELAXED);
	if (g->need_values.n && !f->has_values)
		return FLOW_NEED_VALUES;
	if (g->need_values.n) {
		err_set(
		    &f->err, ERR_PROTOCOL, PHASE_GROUND, "the schema agent asks for values again");
		return FLOW_ERROR;
	}
	f->has_grounding = true;
	if (!g->sufficient)
		return FLOW_INSUFFICIENT;
	struct semantic_names tables = {arena_new_array(f->x->arena, g->n_tables, const char *), 0};

	for (size_t i = 0; i < g->n_tables; i++)
		tables.items[tables.n++] = g->tables[i].name;
	progress(f, "ground", "tables: %s (of %u)", join(f->x->arena, &tables, 5), g->n_searched);
	return g->n_ambiguities ? FLOW_AMBIGUOUS : FLOW_OK;
}

static enum flow_event state_values(struct flow *f)
{
	progress(f, "values", "looking for %s in the data",
	    join(f->x->arena, &f->grounding.need_values, 5));
	if (agent_find_values(f->x, &f->grounding.need_values, &f->values, &f->err))
		return FLOW_ERROR;
	f->has_values = true;
	return FLOW_OK;
}

/* What the generator and the verifier see of the queries so far. */
static size_t observe(struct flow *f, bool with_failed, struct agent_observation *out)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_steps; i++) {
		const struct flow_step *s = &f->steps[i];

		if (s->is_superseded || (!s->has_rows && !with_failed))
			continue;
		out[n++] = (struct agent_observation){s->sql, s->purpose,
		    s->has_rows ? &s->rows : NULL, s->has_rows ? NULL : &s->err};
	}
	return n;
}

/* A table outside the grounding is asked for once, by name; then it is refused. */
static enum flow_event outside(struct flow *f, const char *table)
{
	struct arena *a = f->x->arena;
	struct semantic_names only = {
	    arena_new_array(a, f->grounding.n_tables + 1, const char *), 0};

	if (f->has_regrounded)
		return FLOW_EXHAUSTED;
	f->has_regrounded = true;
	for (size_t i = 0; i < f->grounding.n_tables; i++)
		only.items[only.n++] = f->grounding.tables[i].name;
	if (table)
		only.items[only.n++] = table;
	f->only_tables = only;
	progress(f, "ground", "looking again, with %s", table ? table : "what was missing");
	return FLOW_OUTSIDE;
}

static void decline(struct flow *f, enum err_code code, enum err_phase phase, const char *text)
{
	f->text = text;
	err_set(&f->err, code, phase, "%s", text);
}

/* The same query as one that failed or was sent back leads nowhere. */
static bool is_repeated(const struct flow *f, const char *sql, const struct flow_step **ret_step)
{
	for (size_t i = f->n_steps; i-- > 0;) {
		if (strcmp(f->steps[i].sql, sql) == 0 &&
		    (!f->steps[i].has_rows || f->steps[i].is_superseded)) {
			*ret_step = &f->steps[i];
			return true;
		}
	}
	return false;
}

static enum flow_event take_candidate(struct flow *f)
{
	const struct agent_step *c = &f->candidate;
	const struct flow_step *before = NULL;
	struct flow_step *s;

	if (!f->has_refreshed && is_repeated(f, c->sql, &before)) {
		if (before->has_rows)
			decline(f, ERR_NOT_VOUCHED, PHASE_VERIFY,
			    f->text ? f->text
			            : "the only query that"
			              " was found did not pass the checks");
		else
			f->err = before->err;
		return before->has_rows ? FLOW_EXHAUSTED : FLOW_ERROR;
	}
	s = &f->steps[f->n_steps++];
	memset(s, 0, sizeof(*s));
	s->sql = c->sql;
	s->purpose = c->purpose;
	s->is_more = c->more;
	progress(f, "step", "query %zu: %s", f->n_steps, *c->purpose ? c->purpose : c->sql);
	return FLOW_CANDIDATE;
}

static enum flow_event state_step(struct flow *f)
{
	struct agent_observation seen[FLOW_STEPS_MAX];
	size_t n = observe(f, true, seen);
	struct agent_step *c = &f->candidate;
	int rc;

	if (f->n_steps >= f->limits.steps) {
		decline(f, ERR_NOT_VOUCHED, PHASE_GENERATE,
		    f->grounding.is_chinese
		        ? "在允许的步数内没有得到可以担保的答案"
		        : "no answer that can be vouched for was found in the steps that are allowed");
		return FLOW_EXHAUSTED;
	}
	rc = agent_step(f->x, &f->grounding, seen, n, f->floor,
	    f->limits.steps - (uint32_t)f->n_steps, &f->revise, c, &f->err);
	if (rc == ERR_OUTSIDE_CONTEXT)
		return outside(f, NULL);
	if (rc)
		return FLOW_ERROR;
	memset(&f->revise, 0, sizeof(f->revise));
	if (c->kind == AGENT_CANDIDATE)
		return take_candidate(f);
	f->text = c->text;
	if (c->kind == AGENT_CLARIFY) {
		f->options = c->options;
		err_set(&f->err, ERR_AMBIGUOUS, PHASE_GENERATE, "%s", c->text);
		return FLOW_AMBIGUOUS;
	}
	err_set(&f->err, ERR_UNANSWERABLE, PHASE_GENERATE, "%s", c->text);
	if (c->near.n)
		err_fix(&f->err, "near: %s", join(f->x->arena, &c->near, 5));
	return FLOW_REFUSED;
}

static bool is_grounded(const struct flow *f, const char *table)
{
	for (size_t i = 0; i < f->grounding.n_tables; i++) {
		if (strcasecmp(f->grounding.tables[i].name, table) == 0)
			return true;
	}
	return false;
}

/* Errors that another query may avoid. */
static bool is_repairable(enum err_code code)
{
	switch (code) {
	case ERR_SYNTAX:
	case ERR_NOT_SELECT:
	case ERR_UNKNOWN_TABLE:
	case ERR_UNKNOWN_COLUMN:
	case ERR_AMBIGUOUS_COLUMN:
	case ERR_UNKNOWN_FUNCTION:
	case ERR_TOO_COMPLEX:
	case ERR_RUNTIME:
	case ERR_COST:
	case ERR_RESULT_TOO_BIG:
	case ERR_ENGINE_MISMATCH: return true;
	default: return false;
	}
}

static enum flow_event run_failed(struct flow *f, struct flow_step *s, int rc)
{
	s->err = f->err;
	if (rc == ERR_SOURCE_CHANGED && !f->has_refreshed)
		return FLOW_STALE;
	if (!is_repairable(rc))
		return FLOW_ERROR;
	/* The catalog may be what is wrong. */
	if ((rc == ERR_UNKNOWN_TABLE || rc == ERR_UNKNOWN_COLUMN) && !f->is_fresh &&
	    !f->has_refreshed)
		return FLOW_STALE;
	if (f->n_repairs >= f->limits.repairs)
		return FLOW_EXHAUSTED;
	f->n_repairs++;
	progress(f, "run", "%s", f->err.text);
	return FLOW_REPAIR;
}

static enum flow_event state_run(struct flow *f)
{
	struct flow_step *s = &f->steps[f->n_steps - 1];
	int rc = agent_run(f->x, s->sql, &f->entry->catalog->data_version, &s->rows, &f->err);

	if (rc)
		return run_failed(f, s, rc);
	s->has_rows = true;
	for (size_t i = 0; i < s->rows.tables.n; i++) {
		enum flow_event event;

		if (is_grounded(f, s->rows.tables.items[i]))
			continue;
		s->is_superseded = true;
		event = outside(f, s->rows.tables.items[i]);
		if (event == FLOW_EXHAUSTED)
			err_set(&f->err, ERR_OUTSIDE_CONTEXT, PHASE_RUN,
			    "the query reads \"%s\", which does not belong to the question",
			    s->rows.tables.items[i]);
		return event;
	}
	if (s->rows.stale && !f->has_refreshed)
		return FLOW_STALE;
	progress(f, "run", "%zu row%s%s in %.1f ms", s->rows.n_rows, s->rows.n_rows == 1 ? "" : "s",
	    s->rows.truncated ? " (cut)" : "", (double)s->rows.elapsed_us / 1000);
	return s->is_more ? FLOW_MORE : FLOW_OK;
}

static enum flow_event sent_back(struct flow *f)
{
	f->steps[f->n_steps - 1].is_superseded = true;
	f->revise = f->verdict->reasons;
	if (f->n_repairs >= f->limits.repairs)
		return FLOW_EXHAUSTED;
	f->n_repairs++;
	progress(f, "verify", "sent back: %s", f->text);
	return FLOW_REPAIR;
}

static enum flow_event judge(struct flow *f)
{
	const struct verdict *v = f->verdict;
	const struct flow_step *s = flow_last(f);
	unsigned passed = 0, failed = 0;

	for (size_t i = 0; i < v->n_lines; i++) {
		passed += v->lines[i].verdict == CHECK_PASS;
		failed += v->lines[i].verdict == CHECK_FAIL;
	}
	progress(f, "verify", "%u checks passed, %u failed", passed, failed);
	if (v->kind == VERDICT_ACCEPT)
		return s && (s->rows.n_rows == 0 || s->rows.all_null) ? FLOW_EMPTY : FLOW_OK;
	decline(f, v->kind == VERDICT_CLARIFY ? ERR_AMBIGUOUS : ERR_NOT_VOUCHED, PHASE_VERIFY,
	    v->reasons.n                  ? join(f->x->arena, &v->reasons, 4)
	        : f->grounding.is_chinese ? "结果没有通过检查"
	                                  : "the result did not pass the checks");
	if (v->kind == VERDICT_CLARIFY) {
		f->options = v->reasons;
		return FLOW_AMBIGUOUS;
	}
	return v->kind == VERDICT_REVISE ? sent_back(f) : FLOW_REFUSED;
}

static enum flow_event state_verify(struct flow *f)
{
	struct agent_observation seen[FLOW_STEPS_MAX];
	size_t n = observe(f, false, seen);
	int rc;

	verdict_free(f->verdict);
	f->verdict = NULL;
	rc = agent_verify(f->x, &f->grounding, seen, n, &f->candidate, &f->verdict, &f->err);
	if (rc == ERR_OUTSIDE_CONTEXT) {
		f->steps[f->n_steps - 1].is_superseded = true;
		return outside(f, NULL);
	}
	return rc ? FLOW_ERROR : judge(f);
}

static enum flow_event state_explain(struct flow *f)
{
	const struct flow_step *s = flow_last(f);
	struct explain_plan plan;
	struct agent_rows rows;
	struct resultset *counts = NULL;
	struct err ignored = ERR_INIT;

	/* An answer without this note is still an answer: failures end here. */
	if (!explain_empty_plan(f->x->arena, s->rows.sql_shown, &plan))
		return FLOW_OK;
	progress(f, "explain", "no rows: finding out which condition removes them");
	if (agent_run(f->x, plan.sql, NULL, &rows, &ignored) == 0 &&
	    agent_rows_read(&rows, &counts, &ignored) == 0)
		f->empty_note = explain_empty_tell(
		    f->x->arena, &plan, counts, f->grounding.is_chinese);
	resultset_free(counts);
	return FLOW_OK;
}

static enum flow_event state_recheck(struct flow *f)
{
	struct hash version;
	struct err ignored = ERR_INIT;

	if (f->is_fresh || f->has_refreshed)
		return FLOW_OK;
	if (agent_check_version(f->x, &version, &ignored)) {
		/* A decline stands without it, a lost client or deadline does not. */
		if (ignored.code != ERR_CANCELLED && ignored.code != ERR_TIMEOUT)
			return FLOW_OK;
		f->err = ignored;
		return FLOW_ERROR;
	}
	return hash_equal(&version, &f->entry->catalog->data_version) ? FLOW_OK : FLOW_STALE;
}

static enum flow_event state_answer(struct flow *f)
{
	memset(&f->err, 0, sizeof(f->err));
	progress(f, "answer", "%s", "");
	return FLOW_OK;
}

static enum flow_event state_describe(struct flow *f)
{
	memset(&f->err, 0, sizeof(f->err));
	f->text = about_text(
	    f->x->arena, &f->about, f->question, f->entry->catalog, f->entry->model);
	progress(f, "describe", "%s", "");
	return FLOW_OK;
}

/* A decline of the grounding has no text of an agent: it says what was not
 * found, where, and what is near. */
static const char *not_found_text(struct flow *f)
{
	const struct agent_grounding *g = &f->grounding;
	struct arena *a = f->x->arena;
	const char *missing = join(a, &g->missing, 6), *near = join(a, &g->near, 5);

	if (g->is_chinese)
		return arena_printf(a, "在 %u 张表中没有找到%s%s%s%s%s", g->n_searched,
		    *missing ? "与以下内容对应的数据：" : "与问题对应的数据", missing,
		    *near ? "。相近的有：" : "", near, "。");
	return arena_printf(a, "Nothing in the %u table%s searched answers this%s%s%s%s.",
	    g->n_searched, g->n_searched == 1 ? "" : "s", *missing ? "; no match for: " : "",
	    missing, *near ? ". Near: " : "", near);
}

static enum flow_event state_decline(struct flow *f)
{
	if (!f->text)
		decline(f, ERR_UNANSWERABLE, PHASE_GROUND, not_found_text(f));
	progress(f, "decline", "%s", f->text);
	return FLOW_OK;
}

static enum flow_event state_clarify(struct flow *f)
{
	const struct agent_grounding *g = &f->grounding;

	if (!f->text && g->n_ambiguities) {
		f->options = g->ambiguities[0].options;
		decline(f, ERR_AMBIGUOUS, PHASE_GROUND, g->ambiguities[0].text);
	}
	progress(f, "clarify", "%s", f->text ? f->text : "");
	return FLOW_OK;
}

static enum flow_event state_fail(struct flow *f)
{
	progress(f, "fail", "%s", f->err.text);
	return FLOW_OK;
}

flow_state_fn *const flow_states[FLOW_STATES] = {
    [FLOW_CATALOG] = state_catalog,
    [FLOW_REFRESH] = state_refresh,
    [FLOW_GROUND] = state_ground,
    [FLOW_VALUES] = state_values,
    [FLOW_STEP] = state_step,
    [FLOW_RUN] = state_run,
    [FLOW_VERIFY] = state_verify,
    [FLOW_EXPLAIN] = state_explain,
    [FLOW_RECHECK] = state_recheck,
    [FLOW_ANSWER] = state_answer,
    [FLOW_DESCRIBE] = state_describe,
    [FLOW_DECLINE] = state_decline,
    [FLOW_CLARIFY] = state_clarify,
    [FLOW_FAIL] = state_fail,
};
