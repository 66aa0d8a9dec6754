/*
 * Local text vectors without a model: hashed features (words, character
 * trigrams, CJK pairs and triples) weighted by tf-idf, compared by cosine.
 * Documents are kept as postings by feature, so that a query touches only what
 * it shares.
 */
#ifndef NLQ_SCHEMA_VECTOR_H
#define NLQ_SCHEMA_VECTOR_H

#include "common/base/arena.h"

struct vector_space;

struct vector_space *vector_space_new(struct arena *a, size_t n_documents);
/* Adds text to a document with a weight (names weigh more than notes). */
void vector_add(struct vector_space *v, size_t document, const char *text, float weight);
/* Computes idf and norms; no vector_add afterwards. */
void vector_finish(struct vector_space *v);
/* Cosine of the text with every document, clipped at 0, into scores[n_documents]. */
void vector_query(
    const struct vector_space *v, struct arena *scratch, const char *text, float *scores);

#endif
