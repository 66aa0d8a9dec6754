/* See vector.h. */
#include "schema_agent/vector.h"

#include <math.h>
#include <string.h>

#include "common/base/hash.h"
#include "common/text/lexicon.h"
#include "common/text/token.h"

#define FEATURES (1u << 15)
#define WEIGHT_WORD 1.0f
#define WEIGHT_NGRAM 0.3f
#define WEIGHT_CJK 0.7f

struct posting {
	uint32_t document;
	float weight;
};
struct feature {
	struct posting *items;
	size_t n;
	float idf;
};

struct vector_space {
	struct arena *arena;
	size_t n_documents;
	struct feature *features;
	float *norms;
};

struct vector_space *vector_space_new(struct arena *a, size_t n_documents)
{
	struct vector_space *v = arena_new(a, struct vector_space);

	v->arena = a;
	v->n_documents = n_documents;
	v->features = arena_new_array(a, FEATURES, struct feature);
	v->norms = arena_new_array(a, n_documents + 1, float);
	return v;
}

typedef void emit_fn(void *arg, uint32_t feature, float weight);

static void emit_text(
    emit_fn *emit, void *arg, const char *s, size_t len, uint64_t seed, float weight)
{
	emit(arg, (uint32_t)(hash64(s, len, seed) % FEATURES), weight);
}

/* Character trigrams of "^word$", so that beginnings and ends count. */
static void emit_trigrams(emit_fn *emit, void *arg, const char *word, float weight)
{
	char framed[80];
	size_t n = strlen(word), i;

	if (n < 4 || n > sizeof(framed) - 3)
		return;
	framed[0] = '^';
	memcpy(framed + 1, word, n);
	framed[n + 1] = '$';
	for (i = 0; i + 3 <= n + 2; i++)
		emit_text(emit, arg, framed + i, 3, 2, weight * WEIGHT_NGRAM);
}

static void features_of(
    struct arena *scratch, const char *text, float weight, emit_fn *emit, void *arg)
{
	struct token_list t;
	const char *s;
	size_t i, k;

	token_split(scratch, text, false, &t);
	for (i = 0; i < t.n; i++) {
		if (t.items[i].kind == TOKEN_WORD && !lexicon_is_stop(t.items[i].norm)) {
			s = t.items[i].lemma;
			emit_text(emit, arg, s, strlen(s), 1, weight * WEIGHT_WORD);
			emit_trigrams(emit, arg, s, weight);
		}
		for (k = 2; k <= 3 && t.items[i].kind == TOKEN_CJK && i + k <= t.n &&
		     t.items[i + k - 1].kind == TOKEN_CJK;
		     k++) {
			s = token_phrase(scratch, &t, i, i + k);
			emit_text(emit, arg, s, strlen(s), 3, weight * WEIGHT_CJK);
		}
	}
}

struct adding {
	struct vector_space *v;
	uint32_t document;
};

static void add_feature(void *arg, uint32_t feature, float weight)
{
	struct adding *ad = arg;
	struct feature *f = &ad->v->features[feature];
	struct posting *p;

	if (f->n && f->items[f->n - 1].document == ad->document) {
		f->items[f->n - 1].weight += weight;
		return;
	}
	p = arena_push(ad->v->arena, f->items, f->n);
	p->document = ad->document;
	p->weight = weight;
}

void vector_add(struct vector_space *v, size_t document, const char *text, float weight)
{
	struct adding ad = {v, (uint32_t)document};
	struct arena scratch = ARENA_INIT;

	features_of(&scratch, text, weight, add_feature, &ad);
	arena_done(&scratch);
}

void vector_finish(struct vector_space *v)
{
	size_t i, k;

	for (i = 0; i < FEATURES; i++) {
		struct feature *f = &v->features[i];

		if (!f->n)
			continue;
		f->idf = logf(1.0f + (float)v->n_documents / (float)f->n);
		for (k = 0; k < f->n; k++) {
			/* Long documents repeat; the first mention says most. */
			f->items[k].weight = (1.0f + logf(1.0f + f->items[k].weight)) * f->idf;
			v->norms[f->items[k].document] += f->items[k].weight * f->items[k].weight;
		}
	}
	for (i = 0; i < v->n_documents; i++)
		v->norms[i] = sqrtf(v->norms[i]);
}

struct query {
	const struct vector_space *v;
	float *scores;
	float norm;
};

static void score_feature(void *arg, uint32_t feature, float weight)
{
	struct query *q = arg;
	const struct feature *f = &q->v->features[feature];
	float w = weight * (f->n ? f->idf : logf(1.0f + (float)q->v->n_documents));
	size_t k;

	q->norm += w * w;
	for (k = 0; k < f->n; k++)
		q->scores[f->items[k].document] += w * f->items[k].weight;
}

void vector_query(
    const struct vector_space *v, struct arena *scratch, const char *text, float *scores)
{
	struct query q = {v, scores, 0};
	size_t i;

	memset(scores, 0, v->n_documents * sizeof(*scores));
	features_of(scratch, text, 1.0f, score_feature, &q);
	for (i = 0; i < v->n_documents; i++) {
		float d = v->norms[i] * sqrtf(q.norm);

		scores[i] = d > 0 ? scores[i] / d : 0;
		if (scores[i] > 1)
			scores[i] = 1;
	}
}
