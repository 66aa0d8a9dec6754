/* See pb_work.h. */
#include "orchestrator/pb_work.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "client.pb-c.h"
#include "common/base/clock.h"
#include "common/sql/sql.h"
#include "common/wire/wire.h"
#include "exec.pb-c.h"
#include "orchestrator/flow.h"
#include "orchestrator/pb_call.h"
#include "orchestrator/pb_reply.h"
#include "orchestrator/pb_session.h"
#include "orchestrator/settings.h"

#define SCHEMA_ROWS_MAX 5000

static void fill_ctx(
    struct call_ctx *x, struct orch *o, struct arena *a, const struct session_view *v)
{
	memset(x, 0, sizeof(*x));
	x->dispatch = o->dispatch;
	x->trace = o->trace;
	x->arena = a;
	memcpy(x->request, v->id, sizeof(x->request));
	x->uid = v->uid;
	x->principal = v->principal;
	x->source = v->source;
	x->path = settings.is_private ? v->path : "";
	x->deadline_ms = v->deadline_ms;
	x->began_us = v->began_us;
	x->rows = settings.rows;
	x->query_ms = settings.query_ms;
	x->domain_max = settings.domain_max;
	x->column_ms = settings.column_ms;
}

static uint32_t at_most(uint32_t asked, uint32_t limit)
{
	return asked && asked < limit ? asked : limit;
}

static void on_progress(void *arg, const char *step, const char *text)
{
	session_event(arg, step, text);
}

static void today_is(char out[FLOW_TODAY_LEN], const char *given)
{
	time_t now = time(NULL);
	struct tm tm;

	if (given) {
		snprintf(out, FLOW_TODAY_LEN, "%s", given);
		return;
	}
	localtime_r(&now, &tm);
	strftime(out, FLOW_TODAY_LEN, "%Y-%m-%d", &tm);
}

static void work_ask(
    struct orch *o, struct session *s, const struct session_view *v, struct call_ctx *x)
{
	const Nlq__AskRequest *m = (const Nlq__AskRequest *)v->message;
	struct flow f = {0};
	struct strbuf body;
	struct err e = ERR_INIT;

	x->rows = at_most(m->max_rows, settings.rows);
	f.x = x;
	f.catalogs = o->catalogs;
	f.limits = (struct flow_limits){settings.steps, settings.repairs};
	f.question = m->question;
	f.only_tables = pb_names(x->arena, m->only_tables, m->n_only_tables);
	f.floor = m->has_floor ? m->floor : 0;
	f.progress = m->wants_events ? on_progress : NULL;
	f.progress_arg = s;
	today_is(f.today, m->today);
	flow_run(&f);

	strbuf_init(&body, WIRE_MAX_MESSAGE);
	if (pb_reply_pack(&body, &f, (double)(clock_mono_us() - v->began_us) / 1000, &e))
		session_finish(s, NLQ__KIND__FAILED, NULL, 0, &e, "failed");
	else
		session_finish(
		    s, NLQ__KIND__ASK_REPLY, body.data, body.len, &f.err, pb_reply_outcome(&f));
	strbuf_done(&body);
	flow_done(&f);
}

static void work_sql(
    struct orch *o, struct session *s, const struct session_view *v, struct call_ctx *x)
{
	const Nlq__SqlRunRequest *m = (const Nlq__SqlRunRequest *)v->message;
	Nlq__SqlRunReply reply = NLQ__SQL_RUN_REPLY__INIT;
	struct agent_rows rows;
	struct strbuf body;
	struct err e = ERR_INIT;
	int rc;

	(void)o;
	x->rows = at_most(m->max_rows, settings.rows);
	x->query_ms = at_most(m->timeout_ms, settings.query_ms);
	strbuf_init(&body, WIRE_MAX_MESSAGE);
	rc = agent_run(x, m->sql, NULL, &rows, &e);
	if (!rc) {
		reply.request_id = PB_BYTES(x->request, sizeof(x->request));
		reply.result = ((Nlq__RunReply *)rows.message)->result;
		rc = wire_pack(&body, &reply.base, &e);
	}
	if (rc)
		session_finish(s, NLQ__KIND__FAILED, NULL, 0, &e, "failed");
	else
		session_finish(s, NLQ__KIND__SQL_RUN_REPLY, body.data, body.len, NULL, "answered");
	strbuf_done(&body);
	agents_done(x);
}

/* --- schema list, show, search -------------------------------------------------- */

static Nlq__SchemaRow *add_row(struct arena *a, Nlq__SchemaReply *m, const char *table)
{
	Nlq__SchemaRow *row;

	if (m->n_rows >= SCHEMA_ROWS_MAX)
		return NULL;
	row = arena_new(a, Nlq__SchemaRow);
	nlq__schema_row__init(row);
	row->table = PB_STR(table);
	*arena_push(a, m->rows, m->n_rows) = row;
	return row;
}

static void set_text(char **field, const char *s)
{
	if (s && *s)
		*field = PB_STR(s);
}

static const char *dataset_note(struct arena *a, const struct semantic_dataset *d)
{
	if (d->status == SEMANTIC_ACTIVE)
		return d->description;
	return arena_printf(a, "%s%s%s%s%s",
	    d->status == SEMANTIC_TRAP ? "do not use" : "deprecated",
	    *d->use_instead ? ", use " : "", d->use_instead, *d->description ? ": " : "",
	    d->description);
}

static void schema_list(struct arena *a, const struct catalog_entry *entry, Nlq__SchemaReply *m)
{
	const struct catalog *c = entry->catalog;

	for (uint32_t i = 0; i < c->n_tables; i++) {
		const struct semantic_dataset *d = semantic_dataset_of(entry->model, c, i);
		Nlq__SchemaRow *row = add_row(a, m, c->tables[i].name);

		if (!row)
			return;
		row->type = PB_STR(c->tables[i].kind == CATALOG_VIEW ? "view" : "table");
		row->has_n_rows = c->tables[i].n_rows >= 0;
		row->n_rows = c->tables[i].n_rows;
		if (d) {
			set_text(&row->label, d->label);
			set_text(&row->note, dataset_note(a, d));
		}
	}
}

static const char *column_note(
    struct arena *a, const struct catalog *c, uint32_t table, uint32_t column)
{
	const struct catalog_column *col = &c->tables[table].columns[column];
	const char *note = col->pk_position ? "primary key" : col->is_unique ? "unique" : "";

	for (size_t i = 0; i < c->n_relations; i++) {
		const struct catalog_relation *r = &c->relations[i];

		if (r->from_table != table || r->n_columns != 1 || r->from_columns[0] != column)
			continue;
		note = arena_printf(a, "%s%s-> %s.%s%s", note, *note ? ", " : "",
		    c->tables[r->to_table].name,
		    c->tables[r->to_table].columns[r->to_columns[0]].name,
		    r->origin == RELATION_INFERRED ? " (inferred)" : "");
	}
	return note;
}

static int no_table(struct arena *a, const struct catalog *c, const char *name, struct err *e)
{
	const char **names = arena_new_array(a, c->n_tables, const char *), *near[1];

	for (size_t i = 0; i < c->n_tables; i++)
		names[i] = c->tables[i].name;
	err_set(e, ERR_UNKNOWN_TABLE, PHASE_DESCRIBE, "there is no table \"%s\"", name);
	if (sql_nearest(name, names, c->n_tables, near, 1) == 1)
		err_fix(e, "did you mean %s?", near[0]);
	else
		err_fix(e, "nlq schema list shows the tables");
	return ERR_UNKNOWN_TABLE;
}

static int schema_show(struct arena *a, const struct catalog_entry *entry, const char *name,
    Nlq__SchemaReply *m, struct err *e)
{
	const struct catalog *c = entry->catalog;
	int t = catalog_find_table(c, name);

	if (t < 0) {
		return no_table(a, c, name, e);
	}
	for (uint32_t i = 0; i < c->tables[t].n_columns; i++) {
		const struct catalog_column *col = &c->tables[t].columns[i];
		const struct semantic_field *f = semantic_field_of(entry->model, c, (uint32_t)t, i);
		const char *note = column_note(a, c, (uint32_t)t, i);
		Nlq__SchemaRow *row = add_row(a, m, c->tables[t].name);

		if (!row)
			return 0;
		row->column = PB_STR(col->name);
		row->type = PB_STR(col->decl_type);
		row->has_n_rows = col->n_distinct >= 0;
		row->n_rows = col->n_distinct;
		if (f) {
			set_text(&row->label, f->label);
			set_text(&row->unit, f->unit);
			if (*f->description)
				note = arena_printf(
				    a, "%s%s%s", note, *note ? "; " : "", f->description);
		}
		set_text(&row->note, note);
	}
	return 0;
}

static int schema_search(struct call_ctx *x, const struct catalog_entry *entry,
    const Nlq__SchemaRequest *q, Nlq__SchemaReply *m, struct err *e)
{
	struct agent_found *found = NULL;
	size_t n = 0;
	int rc = agent_search(x, q->name, &entry->catalog_hash,
	    entry->model ? &entry->model_hash : NULL, q->has_limit ? q->limit : 20, &found, &n, e);

	for (size_t i = 0; !rc && i < n; i++) {
		Nlq__SchemaRow *row = add_row(x->arena, m, found[i].table);

		if (!row)
			break;
		set_text(&row->column, found[i].column);
		set_text(&row->note, found[i].why);
		row->has_score = 1;
		row->score = found[i].score;
	}
	return rc;
}

static void work_schema(
    struct orch *o, struct session *s, const struct session_view *v, struct call_ctx *x)
{
	const Nlq__SchemaRequest *q = (const Nlq__SchemaRequest *)v->message;
	Nlq__SchemaReply m = NLQ__SCHEMA_REPLY__INIT;
	struct catalog_entry *entry = NULL;
	struct strbuf body;
	struct err e = ERR_INIT;
	bool fresh;
	int rc = catalogs_get(o->catalogs, v->source, x, v->deadline_ms, NULL, &entry, &fresh, &e);

	strbuf_init(&body, WIRE_MAX_MESSAGE);
	if (!rc && strcmp(q->action, "list") == 0)
		schema_list(x->arena, entry, &m);
	else if (!rc && strcmp(q->action, "show") == 0)
		rc = schema_show(x->arena, entry, q->name, &m, &e);
	else if (!rc)
		rc = schema_search(x, entry, q, &m, &e);
	if (!rc)
		rc = wire_pack(&body, &m.base, &e);
	if (rc)
		session_finish(s, NLQ__KIND__FAILED, NULL, 0, &e, "failed");
	else
		session_finish(s, NLQ__KIND__SCHEMA_REPLY, body.data, body.len, NULL, "described");
	strbuf_done(&body);
	catalogs_put(o->catalogs, entry);
	agents_done(x);
}

static void work(struct orch *o, struct session *s)
{
	struct session_view v;
	struct arena arena = ARENA_INIT;
	struct call_ctx x;
	struct err e = ERR_INIT;

	session_view(s, &v);
	if (session_is_cancelled(s) || clock_mono_ms() >= v.deadline_ms) {
		if (session_is_cancelled(s))
			err_set(&e, ERR_CANCELLED, PHASE_REQUEST, "the request was cancelled");
		else
			err_set(&e, ERR_TIMEOUT, PHASE_REQUEST,
			    "the request waited too long for its turn");
		session_finish(s, NLQ__KIND__FAILED, NULL, 0, &e, "failed");
		return;
	}
	arena_init(&arena);
	fill_ctx(&x, o, &arena, &v);
	switch (v.kind) {
	case NLQ__KIND__ASK: work_ask(o, s, &v, &x); break;
	case NLQ__KIND__SQL_RUN: work_sql(o, s, &v, &x); break;
	default: work_schema(o, s, &v, &x); break;
	}
	arena_done(&arena);
}

void *pb_work_thread(void *arg)
{
	struct orch *o = arg;
	struct session *s;

	while ((s = session_take(o->sessions)))
		work(o, s);
	return NULL;
}
