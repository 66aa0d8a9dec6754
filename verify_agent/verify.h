/*
 * Is this what was asked, and can it be vouched for? The domain side of the
 * verifier: plain structs in, a verdict out. It trusts nothing that a generator
 * says about its SQL: every candidate is parsed and resolved here, and its facts
 * are held against the question's grounding and the semantic model.
 */
#ifndef NLQ_VERIFY_H
#define NLQ_VERIFY_H

#include "common/base/err.h"
#include "common/model/grounding.h"
#include "common/model/resultset.h"
#include "common/model/verdict.h"

/* One query of the request: it ran (result) or failed (error). */
struct verify_step {
	const char *sql;     /* the candidate as its generator wrote it */
	const char *purpose; /* the generator's words; never used for a check; may be NULL */
	const struct resultset *result; /* NULL if it failed */
	const struct err *error;        /* NULL if it ran */
};

#define VERIFY_MAX_STEPS 8

/* The last step is the candidate, those before it that ran are its evidence (and
 * are numbered from 1 in templates). confidence is the generator's, 0..1. template_text (NULL: none) is an answer with
 * references, see template.h. Everything is borrowed. Returns 0 with a verdict
 * (caller frees with verdict_free), or ERR_BAD_INPUT. */
int verify_request(const struct grounding *g, const struct verify_step *steps, size_t n_steps,
    double confidence, const char *template_text, const char *const *assumptions,
    size_t n_assumptions, struct verdict **ret_verdict, struct err *e);

#endif
