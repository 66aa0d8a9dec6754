/* The reply to a question as the client shows it: plain structs, everything in
 * one arena. Made by pb_client.c from the orchestrator's message. */
#ifndef NLQ_CLI_ANSWER_H
#define NLQ_CLI_ANSWER_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/model/resultset.h"
#include "common/model/semantic.h"
#include "common/model/verdict.h"

struct answer_step {
	const char *sql, *purpose;
	const struct resultset *result; /* NULL: not kept, or it failed */
	struct err err;                 /* code 0: it ran */
};
struct answer_named {
	const char *name, *text;
};
struct answer_timing {
	const char *stage;
	double ms;
};

struct answer {
	char request_id[33];      /* hex; "" if the request was not taken */
	const char *outcome;      /* answered described declined clarify failed */
	const char *answer;       /* NULL: none */
	const char *unit;         /* NULL: none or not known */
	const char *sql;          /* NULL: no query ran */
	struct resultset *result; /* NULL: none */
	bool has_confidence;
	double confidence;
	struct semantic_names assumptions, definitions, options;
	struct certificate_line *lines;
	size_t n_lines;
	struct answer_named *tables;
	size_t n_tables;
	struct answer_step *steps;
	size_t n_steps;
	struct answer_timing *timings;
	size_t n_timings;
	const char *generator;
	bool has_error;
	struct err err;
};

/* Exit code of the client for this answer. */
int answer_exit_code(const struct answer *a);

#endif
