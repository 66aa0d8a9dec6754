/* The certificate of a query and what the verifier says of it. */
#ifndef NLQ_VERDICT_H
#define NLQ_VERDICT_H

#include "common/base/arena.h"
#include "common/model/semantic.h"

enum check_verdict { CHECK_PASS, CHECK_FAIL, CHECK_UNKNOWN, CHECK_NOTE };
enum verdict_kind { VERDICT_ACCEPT, VERDICT_REVISE, VERDICT_DECLINE, VERDICT_CLARIFY };

struct certificate_line {
	const char *check; /* fixed identifier: "names", "joins", "units" ... */
	enum check_verdict verdict;
	const char *detail; /* one line for people, in the question's language */
};

struct verdict {
	struct arena arena;
	enum verdict_kind kind;
	uint32_t tier; /* highest tier that was climbed */
	struct certificate_line *lines;
	size_t n_lines;
	double confidence;  /* 0..1 */
	const char *answer; /* finished text; "" unless accepted */
	const char *unit;   /* of the answer's number; NULL if none or unknown */
	struct semantic_names assumptions;
	struct semantic_names definitions;
	struct semantic_names reasons; /* for revise, decline, clarify */
};

struct verdict *verdict_new(void);
void verdict_free(struct verdict *v);
/* Adds a line; detail is copied. */
void verdict_line(struct verdict *v, const char *check, enum check_verdict verdict, const char *fmt,
    ...) NLQ_PRINTF(4, 5);
const char *check_verdict_name(enum check_verdict v); /* "pass" "fail" "unknown" "note" */

#endif
