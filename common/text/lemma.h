/* English word forms without a dictionary: plural and third person by rule with
 * a list of irregular forms, and a coarse stem for "the same family of words". */
#ifndef NLQ_TEXT_LEMMA_H
#define NLQ_TEXT_LEMMA_H

#include "common/base/base.h"

#define LEMMA_MAX 64

/* word is lower case. Writes the dictionary form ("countries" -> "country",
 * "children" -> "child"); words longer than LEMMA_MAX - 1 are copied cut. */
void lemma_of(const char *word, char out[LEMMA_MAX]);
/* Coarser: "located", "location" -> "locat"; "singing", "singer" -> "sing". */
void lemma_stem(const char *word, char out[LEMMA_MAX]);
/* True if the words are equal but for one inserted, lost, changed or swapped
 * letter (both at least five letters long). */
bool lemma_is_misspelling(const char *a, const char *b);

#endif
