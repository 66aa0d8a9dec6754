/* Glue between the domain libraries; holds no logic of its own. */
#include <string.h>

#include "common/base/clock.h"
#include "executor/cell.h"
#include "executor/describe.h"
#include "executor/values.h"
#include "tests/lib/pipeline.h"
#include "verify_agent/verify.h"

#define TODAY "2026-11-30"
#define MAX_ROWS 20000
#define MAX_CELL 4096
#define MAX_MS 5000

int pipeline_adopt(
    sqlite3 *db, const char *semantic_folder, struct pipeline *ret_pipeline, struct err *e)
{
	struct pipeline p = {.db = db};
	int rc = describe_catalog(db, "test", NULL, &p.catalog, e);

	if (rc == 0 && semantic_folder)
		rc = semantic_load(semantic_folder, &p.semantic, e);
	if (rc == 0)
		p.index = ground_index_new(p.catalog, p.semantic);
	if (rc < 0) {
		pipeline_close(&p);
		return rc;
	}
	*ret_pipeline = p;
	return 0;
}

int pipeline_open(
    const char *path, const char *semantic_folder, struct pipeline *ret_pipeline, struct err *e)
{
	sqlite3 *db = NULL;

	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
		sqlite3_close(db);
		return err_set(e, ERR_SOURCE_MISSING, PHASE_DESCRIBE, "cannot open %s", path);
	}
	return pipeline_adopt(db, semantic_folder, ret_pipeline, e);
}

void pipeline_close(struct pipeline *p)
{
	ground_index_free(p->index);
	semantic_free(p->semantic);
	catalog_free(p->catalog);
	sqlite3_close(p->db);
	memset(p, 0, sizeof(*p));
}

/* --- running --------------------------------------------------------------------- */

static int stop_late(void *deadline)
{
	return clock_mono_ms() > *(const uint64_t *)deadline;
}

static void read_columns(struct resultset *r, sqlite3_stmt *st)
{
	r->n_columns = (size_t)sqlite3_column_count(st);
	r->columns = arena_new_array(&r->arena, r->n_columns, struct result_column);
	for (size_t i = 0; i < r->n_columns; i++) {
		struct result_column *c = &r->columns[i];

		c->name = arena_strdup(&r->arena, sqlite3_column_name(st, (int)i));
		c->type = c->table = c->column = "";
	}
}

int pipeline_run(sqlite3 *db, const char *sql, struct resultset **ret_result, struct err *e)
{
	uint64_t deadline = clock_mono_ms() + MAX_MS;
	struct resultset *r;
	sqlite3_stmt *st;
	int rc;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
		return err_set(e, ERR_RUNTIME, PHASE_PREPARE, "%s", sqlite3_errmsg(db));
	r = resultset_new();
	r->sql_shown = r->sql_run = arena_strdup(&r->arena, sql);
	read_columns(r, st);
	sqlite3_progress_handler(db, 1000, stop_late, &deadline);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW && r->n_rows < MAX_ROWS) {
		for (size_t i = 0; i < r->n_columns; i++) {
			size_t n = r->n_rows * r->n_columns + i;

			cell_read(
			    &r->arena, st, (int)i, MAX_CELL, arena_push(&r->arena, r->cells, n));
		}
		r->n_rows++;
	}
	sqlite3_progress_handler(db, 0, NULL, NULL);
	sqlite3_finalize(st);
	r->truncated = rc == SQLITE_ROW;
	if (rc != SQLITE_DONE && rc != SQLITE_ROW) {
		resultset_free(r);
		return err_set(e, ERR_RUNTIME, PHASE_RUN, "%s", sqlite3_errmsg(db));
	}
	*ret_result = r;
	return 0;
}

/* --- asking ---------------------------------------------------------------------- */

static int ground(
    struct pipeline *p, const char *question, struct grounding **ret_grounding, struct err *e)
{
	struct ground_options o = {.today = TODAY};
	struct semantic_names need = {NULL, 0};
	struct values_result found = {NULL, 0, false};
	struct ground_value_hit *hits;
	struct grounding *first;
	struct arena a = ARENA_INIT;
	int rc = ground_question(p->index, question, &o, ret_grounding, &need, e);

	if (rc < 0 || need.n == 0)
		return rc;
	values_find(
	    &a, p->db, p->catalog, need.items, need.n, 5, 200, clock_mono_ms() + MAX_MS, &found);
	hits = arena_new_array(&a, found.n_hits, struct ground_value_hit);
	for (size_t i = 0; i < found.n_hits; i++)
		hits[i] = (struct ground_value_hit){need.items[found.hits[i].span],
		    found.hits[i].table, found.hits[i].column, found.hits[i].value,
		    found.hits[i].partial};
	o.hits = hits;
	o.n_hits = found.n_hits;
	o.values_done = true;
	first = *ret_grounding; /* it holds the spans that the hits name */
	*ret_grounding = NULL;
	rc = ground_question(p->index, question, &o, ret_grounding, NULL, e);
	grounding_free(first);
	arena_done(&a);
	return rc;
}

static int verify(struct pipeline_answer *a, struct err *e)
{
	struct verify_step steps[PIPELINE_MAX_STEPS];
	const struct compose_reply *last = pipeline_last(a);

	for (size_t i = 0; i < a->n_steps; i++)
		steps[i] = (struct verify_step){
		    a->steps[i]->sql, a->steps[i]->purpose, a->results[i], NULL};
	return verify_request(a->grounding, steps, a->n_steps, last->confidence, NULL,
	    last->assumptions.items, last->assumptions.n, &a->verdict, e);
}

int pipeline_ask(struct pipeline *p, const char *question, double floor, bool with_verdict,
    struct pipeline_answer *ret_answer, struct err *e)
{
	struct compose_past past[PIPELINE_MAX_STEPS];
	bool more = true;
	int rc;

	memset(ret_answer, 0, sizeof(*ret_answer));
	rc = ground(p, question, &ret_answer->grounding, e);
	while (rc == 0 && more && ret_answer->n_steps < PIPELINE_MAX_STEPS) {
		size_t n = ret_answer->n_steps;
		struct compose_reply *reply;

		rc = compose_step(ret_answer->grounding, past, n, floor, &reply, e);
		if (rc < 0)
			break;
		ret_answer->steps[n] = reply;
		ret_answer->n_steps++;
		more = reply->kind == COMPOSE_CANDIDATE && reply->more;
		if (reply->kind != COMPOSE_CANDIDATE)
			return 0;
		if (pipeline_run(p->db, reply->sql, &ret_answer->results[n], &ret_answer->error) <
		    0)
			return 0;
		past[n] = (struct compose_past){
		    reply->sql, reply->purpose, ret_answer->results[n], NULL};
	}
	return rc == 0 && with_verdict ? verify(ret_answer, e) : rc;
}

const struct compose_reply *pipeline_last(const struct pipeline_answer *a)
{
	return a->n_steps ? a->steps[a->n_steps - 1] : NULL;
}

void pipeline_answer_done(struct pipeline_answer *a)
{
	for (size_t i = 0; i < a->n_steps; i++) {
		compose_reply_free(a->steps[i]);
		resultset_free(a->results[i]);
	}
	verdict_free(a->verdict);
	grounding_free(a->grounding);
	memset(a, 0, sizeof(*a));
}
