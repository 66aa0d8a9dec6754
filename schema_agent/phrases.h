/* Phrase -> numbers: an open-addressing hash whose entries are chains, all in
 * one arena. Filled while an index is built, read-only afterwards. */
#ifndef NLQ_SCHEMA_PHRASES_H
#define NLQ_SCHEMA_PHRASES_H

#include "common/base/arena.h"

struct phrase_entry {
	uint32_t payload, next;
}; /* next: index + 1, 0 = end */
struct phrase_slot {
	uint64_t hash;
	const char *phrase;
	uint32_t first, count;
};

struct phrase_map {
	struct arena *arena; /* borrowed */
	struct phrase_slot *slots;
	size_t n_slots, n_used;
	struct phrase_entry *entries;
	size_t n_entries;
};

void phrase_map_init(struct phrase_map *m, struct arena *a);
/* Adds the payload under the phrase (borrowed); empty phrases and repeated last
 * payloads are ignored. max: no more than so many payloads a phrase, 0 = any. */
void phrase_map_add(struct phrase_map *m, const char *phrase, uint32_t payload, uint32_t max);
/* First entry's index + 1 for iteration, newest first; 0 if there is none. */
uint32_t phrase_map_find(const struct phrase_map *m, const char *phrase);
uint32_t phrase_map_count(const struct phrase_map *m, const char *phrase);

#define phrase_map_each(m, at, phrase) \
	for (uint32_t at = phrase_map_find((m), (phrase)); at; at = (m)->entries[at - 1].next)

#endif
