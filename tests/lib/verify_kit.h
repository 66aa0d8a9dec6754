/*
 * Questions for the verifier, put together word by word over a small database in
 * memory: each word gets the span that linking would give it, each query is run,
 * and the verdict is taken apart by check.
 */
#ifndef NLQ_TESTS_VERIFY_KIT_H
#define NLQ_TESTS_VERIFY_KIT_H

#include <sqlite3.h>

#include "common/text/cue.h"
#include "verify_agent/verify.h"

struct verify_kit {
	sqlite3 *db;
	struct grounding *g;
	struct strbuf question;
	struct verify_step steps[VERIFY_MAX_STEPS];
	struct resultset *results[VERIFY_MAX_STEPS];
	struct err errors[VERIFY_MAX_STEPS];
	size_t n_steps;
	struct verdict *verdict;
	double confidence;         /* of the generator; 0.9 */
	const char *template_text; /* NULL */
};

/* Companies, financials (亿元), production (unit in a column), and a trap. */
extern const char verify_kit_energy[];
extern const char verify_kit_model[];

/* ddl is run on an empty database, which is then described with its profile;
 * model is the text of a YAML file, NULL for none. */
void verify_kit_open(
    struct verify_kit *k, enum grounding_lang lang, const char *ddl, const char *model);
void verify_kit_close(struct verify_kit *k);
/* Forgets question and steps, keeps the database. */
void verify_kit_reset(struct verify_kit *k, enum grounding_lang lang);

void vkit_says(
    struct verify_kit *k, enum span_kind kind, const char *text); /* STOP, UNKNOWN, QUOTED */
void vkit_names_table(struct verify_kit *k, const char *text, const char *table);
void vkit_names_column(struct verify_kit *k, const char *text, const char *column);
void vkit_names_metric(struct verify_kit *k, const char *text, const char *metric);
void vkit_names_value(
    struct verify_kit *k, const char *text, const char *column, const char *stored);
void vkit_says_cue(struct verify_kit *k, const char *text, enum cue_kind cue, uint32_t arg);
void vkit_says_quantity(struct verify_kit *k, const char *text, int64_t digits, int32_t scale,
    const char *base, int32_t magnitude);
/* [from, to) as ISO dates; column "financials.year". */
void vkit_says_period(
    struct verify_kit *k, const char *text, const char *from, const char *to, const char *column);

/* Runs the query and makes it the next step. */
void vkit_runs(struct verify_kit *k, const char *sql);
/* Verifies; the verdict stays in k until the next reset. */
const struct verdict *vkit_verify(struct verify_kit *k);
/* The worst verdict among the lines of the check: FAIL, UNKNOWN, NOTE, PASS; -1
 * if it has no line. */
int vkit_line(const struct verify_kit *k, const char *check);
/* Fails the test, printing the certificate, unless it is so. */
void vkit_expect(
    const struct verify_kit *k, enum verdict_kind kind, const char *check, enum check_verdict line);
void vkit_expect_answer(const struct verify_kit *k, const char *answer, const char *unit);
bool vkit_list_has(const struct semantic_names *names, const char *part);

#endif
