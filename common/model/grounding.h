/*
 * What a question is about, in terms of the catalog: the result of grounding
 * and the only thing that a generator may see of a source. Self-contained: it
 * carries its own sub-catalog (tables, columns, relations of the context) and
 * the part of the semantic model that belongs to it.
 *
 * Spans cover the question from left to right and do not overlap. Each has a
 * kind and, where it names something, one or more targets, best first. Words
 * that nothing explains stay in as SPAN_UNKNOWN: they lower confidence.
 * All indexes point into `catalog` of this grounding.
 */
#ifndef NLQ_GROUNDING_H
#define NLQ_GROUNDING_H

#include "common/model/catalog.h"
#include "common/model/semantic.h"

enum grounding_lang { LANG_EN, LANG_ZH };

enum span_kind {
	SPAN_UNKNOWN,  /* a content word that nothing explains */
	SPAN_STOP,     /* a word without content here */
	SPAN_TABLE,    /* targets: tables */
	SPAN_COLUMN,   /* targets: columns */
	SPAN_VALUE,    /* targets: column + stored value */
	SPAN_METRIC,   /* targets: metric of the semantic model */
	SPAN_QUANTITY, /* a number, perhaps with unit: `quantity` */
	SPAN_PERIOD,   /* a time: `period` */
	SPAN_CUE,      /* a phrase that steers the query: `cue` (enum cue_kind) */
	SPAN_QUOTED,   /* quoted text that is no stored value */
};

/* How a target was found; also its rank among equals. */
enum target_how {
	HOW_EXACT,          /* the name itself */
	HOW_LABEL,          /* label or synonym of the semantic model */
	HOW_LEMMA,          /* the same word inflected */
	HOW_SYNONYM,        /* built-in synonym */
	HOW_PARTIAL,        /* some words of a longer name */
	HOW_FUZZY,          /* spelling */
	HOW_STORED,         /* the stored value itself */
	HOW_STORED_LABEL,   /* label of a value in the semantic model */
	HOW_STORED_PARTIAL, /* part of a stored value */
};

#define TARGET_NONE UINT32_MAX

struct span_target {
	uint32_t table;     /* TARGET_NONE for a metric */
	uint32_t column;    /* TARGET_NONE for a table or metric */
	uint32_t metric;    /* index into grounding->metrics, else TARGET_NONE */
	struct value value; /* SPAN_VALUE: exactly as stored */
	float score;        /* 0..1 */
	enum target_how how;
};

struct grounding_span {
	uint32_t start, len; /* bytes of the question */
	enum span_kind kind;
	struct span_target *targets;
	size_t n_targets;
	uint32_t cue;      /* SPAN_CUE: enum cue_kind of common/text/cue.h */
	uint32_t cue_arg;  /* SPAN_CUE: e.g. the n of "top n"; 0 = none */
	uint32_t quantity; /* SPAN_QUANTITY: index into quantities, else TARGET_NONE */
	uint32_t period;   /* SPAN_PERIOD: index into periods, else TARGET_NONE */
	bool in_quotes;
};

/* value = digits * 10^-scale exactly, times the unit's factor in `base` units */
struct quantity {
	uint32_t start, len;
	int64_t digits;
	int32_t scale;     /* decimal places; negative = trailing zeros */
	const char *unit;  /* as written, "" if none: "亿元", "million", "%" */
	const char *base;  /* unit without its magnitude word: "元", "桶"; "" */
	int32_t magnitude; /* power of ten that the unit's magnitude word adds: 亿 = 8 */
};

enum period_grain { GRAIN_YEAR, GRAIN_QUARTER, GRAIN_MONTH, GRAIN_DAY };

/* Half-open range [from, to) of ISO dates; "" = open on that side. */
struct period {
	uint32_t start, len;
	char from[11], to[11];
	enum period_grain grain;
	bool relative; /* "last year": depends on today */
};

struct grounding_table {
	uint32_t table;                           /* index into catalog */
	float score, score_vector, score_keyword; /* 0..1 */
	bool literal;                             /* named in the question */
	bool by_relation;                         /* came in by the one hop (or as a bridge) */
	const char *why;                          /* one line for people */
};

struct grounding_ambiguity {
	uint32_t span;
	const char *text;
	struct semantic_names options;
};

struct grounding {
	struct arena arena;
	const char *question;
	enum grounding_lang lang;
	const char *today;              /* ISO date that relative periods used */
	struct catalog *catalog;        /* sub-catalog, owned */
	struct semantic *semantic;      /* sub-model, owned, never NULL (may be empty) */
	struct grounding_table *tables; /* every table of catalog, best first */
	size_t n_tables;
	struct grounding_span *spans;
	size_t n_spans;
	struct quantity *quantities;
	size_t n_quantities;
	struct period *periods;
	size_t n_periods;
	struct grounding_ambiguity *ambiguities;
	size_t n_ambiguities;
	bool sufficient;               /* something above the floor was found */
	struct semantic_names missing; /* content words that nothing explains */
	struct semantic_names near;    /* names that are near to those */
	uint32_t n_tables_searched;    /* size of the allowed set */
};

struct grounding *grounding_new(void);
void grounding_free(struct grounding *g);

#endif
