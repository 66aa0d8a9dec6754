/* See phrases.h. The table doubles at a load of one half. */
#include "schema_agent/phrases.h"

#include <string.h>

#include "common/base/hash.h"

#define SLOTS_MIN 256

void phrase_map_init(struct phrase_map *m, struct arena *a)
{
	memset(m, 0, sizeof(*m));
	m->arena = a;
	m->n_slots = SLOTS_MIN;
	m->slots = arena_new_array(a, m->n_slots, struct phrase_slot);
}

static struct phrase_slot *slot_of(const struct phrase_map *m, const char *phrase, uint64_t hash)
{
	size_t mask = m->n_slots - 1, i = hash & mask;

	while (
	    m->slots[i].phrase && (m->slots[i].hash != hash || strcmp(m->slots[i].phrase, phrase)))
		i = (i + 1) & mask;
	return &m->slots[i];
}

static void grow(struct phrase_map *m)
{
	struct phrase_slot *old = m->slots;
	size_t n_old = m->n_slots, i;

	m->n_slots *= 2;
	m->slots = arena_new_array(m->arena, m->n_slots, struct phrase_slot);
	for (i = 0; i < n_old; i++)
		if (old[i].phrase)
			*slot_of(m, old[i].phrase, old[i].hash) = old[i];
}

void phrase_map_add(struct phrase_map *m, const char *phrase, uint32_t payload, uint32_t max)
{
	struct phrase_slot *s;
	struct phrase_entry *e;
	uint64_t hash;

	if (!*phrase)
		return;
	if (m->n_used * 2 >= m->n_slots)
		grow(m);
	hash = hash64(phrase, strlen(phrase), 0);
	s = slot_of(m, phrase, hash);
	if (!s->phrase) {
		s->phrase = phrase;
		s->hash = hash;
		m->n_used++;
	}
	if ((s->first && m->entries[s->first - 1].payload == payload) || (max && s->count >= max))
		return;
	e = arena_push(m->arena, m->entries, m->n_entries);
	e->payload = payload;
	e->next = s->first;
	s->first = (uint32_t)m->n_entries;
	s->count++;
}

uint32_t phrase_map_find(const struct phrase_map *m, const char *phrase)
{
	return *phrase ? slot_of(m, phrase, hash64(phrase, strlen(phrase), 0))->first : 0;
}

uint32_t phrase_map_count(const struct phrase_map *m, const char *phrase)
{
	return *phrase ? slot_of(m, phrase, hash64(phrase, strlen(phrase), 0))->count : 0;
}
