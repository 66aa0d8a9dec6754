/*
 * The way of a question without daemons: describe, ground, compose, run, verify
 * in one process, on a plain read-only connection. For measuring and for tests.
 */
#ifndef NLQ_TESTS_PIPELINE_H
#define NLQ_TESTS_PIPELINE_H

#include <sqlite3.h>

#include "common/model/resultset.h"
#include "common/model/verdict.h"
#include "schema_agent/ground.h"
#include "sql_agent/compose/compose.h"

#define PIPELINE_MAX_STEPS 4

struct pipeline {
	sqlite3 *db;
	struct catalog *catalog;
	struct semantic *semantic;
	struct ground_index *index;
};

struct pipeline_answer {
	struct grounding *grounding;
	struct compose_reply *steps[PIPELINE_MAX_STEPS];
	struct resultset *results[PIPELINE_MAX_STEPS]; /* NULL: did not run */
	size_t n_steps;
	struct verdict *verdict; /* NULL if nothing was run or verifying was not asked */
	struct err error;        /* of the last query; code 0: none */
};

/* semantic_folder may be NULL. Opens read-only. */
int pipeline_open(
    const char *path, const char *semantic_folder, struct pipeline *ret_pipeline, struct err *e);
/* Takes over an open connection (a test's :memory: database). */
int pipeline_adopt(
    sqlite3 *db, const char *semantic_folder, struct pipeline *ret_pipeline, struct err *e);
void pipeline_close(struct pipeline *p);

int pipeline_ask(struct pipeline *p, const char *question, double floor, bool verify,
    struct pipeline_answer *ret_answer, struct err *e);
void pipeline_answer_done(struct pipeline_answer *a);
/* The reply of the last step, NULL if there is none. */
const struct compose_reply *pipeline_last(const struct pipeline_answer *a);

/* Runs a query; at most 20,000 rows. */
int pipeline_run(sqlite3 *db, const char *sql, struct resultset **ret_result, struct err *e);

#endif
