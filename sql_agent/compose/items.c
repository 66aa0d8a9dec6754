/* Spans to items. */
#include <ctype.h>
#include <string.h>

#include "sql_agent/compose/items.h"

static const struct item end_item = {.kind = ITEM_END,
    .span = IR_NONE,
    .table = IR_NONE,
    .column = IR_NONE,
    .metric = IR_NONE,
    .second = IR_NONE,
    .text = ""};

static enum item_kind kind_of(const struct grounding_span *s)
{
	switch (s->kind) {
	case SPAN_TABLE: return ITEM_TABLE;
	case SPAN_COLUMN: return ITEM_COLUMN;
	case SPAN_VALUE: return ITEM_VALUE;
	case SPAN_METRIC: return ITEM_METRIC;
	case SPAN_QUANTITY: return ITEM_NUMBER;
	case SPAN_PERIOD: return ITEM_PERIOD;
	case SPAN_CUE: return ITEM_CUE;
	case SPAN_QUOTED: return ITEM_TEXT;
	default: return ITEM_UNKNOWN;
	}
}

static const char *lower_text(
    struct arena *a, const struct grounding *g, uint32_t start, uint32_t len)
{
	char *text = arena_strndup(a, g->question + start, len);

	for (char *p = text; *p; p++)
		if ((unsigned char)*p < 0x80)
			*p = (char)tolower((unsigned char)*p);
	return text;
}

static void add_mark(struct arena *a, struct items *s, enum item_kind kind)
{
	struct item *it;

	if (s->n == 0 || s->list[s->n - 1].kind == kind)
		return;
	it = arena_push(a, s->list, s->n);
	*it = end_item;
	it->kind = kind;
	it->used = true;
}

/* Punctuation between two spans. A full stop inside a word or number is within
 * its span, so one seen here ends a sentence. */
static void add_marks(struct arena *a, struct items *s, const char *gap, size_t len)
{
	static const char *const commas[] = {",", ";", "，", "；", ":", "：", "、"};
	static const char *const ends[] = {". ", "? ", "! ", "。", "？", "！"};

	for (size_t i = 0; i < len; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(commas); k++)
			if (len - i >= strlen(commas[k]) &&
			    memcmp(gap + i, commas[k], strlen(commas[k])) == 0)
				add_mark(a, s, ITEM_COMMA);
		for (size_t k = 0; k < ARRAY_SIZE(ends); k++)
			if (len - i >= strlen(ends[k]) &&
			    memcmp(gap + i, ends[k], strlen(ends[k])) == 0)
				add_mark(a, s, ITEM_SENTENCE);
	}
}

static bool is_owner(const char *word)
{
	static const char *const owners[] = {
	    "their", "its", "his", "her", "them", "it", "they", "其", "它们", "他们"};

	for (size_t i = 0; i < ARRAY_SIZE(owners); i++)
		if (strcmp(word, owners[i]) == 0)
			return true;
	return false;
}

/* A stop word that may name a column after all (generic.h decides). */
static bool is_detail(const char *word)
{
	return strcmp(word, "details") == 0 || strcmp(word, "detail") == 0;
}

static void add_item(
    struct arena *a, struct items *s, const struct grounding *g, uint32_t index, bool owned)
{
	const struct grounding_span *span = &g->spans[index];
	struct item *it = arena_push(a, s->list, s->n);

	*it = end_item;
	it->kind = kind_of(span);
	it->span = index;
	it->cue = span->kind == SPAN_CUE ? (enum cue_kind)span->cue : CUE_NONE;
	it->n = span->kind == SPAN_CUE ? span->cue_arg : 0;
	it->text = lower_text(a, g, span->start, span->len);
	it->owned = owned;
	it->margin = 1;
	/* cues that only connect need not be used to be understood */
	it->used = it->kind == ITEM_CUE || (span->kind == SPAN_STOP && is_detail(it->text));
}

/* "with their", "along with its" */
static bool says_owner(const struct grounding_span *span, const struct grounding *g)
{
	const char *end = g->question + span->start + span->len;

	if (span->kind == SPAN_CUE && span->cue == CUE_ALSO && span->len >= 6 &&
	    memcmp(end - 3, "其", 3) == 0)
		return true; /* 及其, 以及其 */
	return span->kind == SPAN_CUE &&
	    ((span->len >= 6 && strncasecmp(end - 6, " their", 6) == 0) ||
	        (span->len >= 4 && strncasecmp(end - 4, " its", 4) == 0));
}

/* A magnitude word without a number (过万亿) says an amount all the same, unless it
 * only names the unit of the answer (多少亿元). */
static bool is_lost_number(struct arena *a, const struct items *s, const struct grounding *g,
    const struct grounding_span *span)
{
	const char *text = lower_text(a, g, span->start, span->len);
	const struct item *last = s->n > 0 ? &s->list[s->n - 1] : &end_item;

	if (!strstr(text, "万") && !strstr(text, "亿"))
		return false;
	return last->kind == ITEM_CUE && last->cue != CUE_WHICH && last->cue != CUE_COUNT &&
	    last->cue != CUE_DIFFERENCE && last->cue != CUE_SUM;
}

void items_build(struct arena *a, const struct view *v, struct items *ret_items)
{
	const struct grounding *g = v->g;
	uint32_t at = 0;
	bool owned = false;

	memset(ret_items, 0, sizeof(*ret_items));
	ret_items->view = v;
	for (uint32_t i = 0; i < g->n_spans; i++) {
		const struct grounding_span *span = &g->spans[i];

		if (span->start > at)
			add_marks(a, ret_items, g->question + at, span->start - at);
		at = span->start + span->len;
		if (span->kind == SPAN_STOP && is_lost_number(a, ret_items, g, span)) {
			add_item(a, ret_items, g, i, false);
			continue;
		}
		if (span->kind == SPAN_STOP &&
		    !is_detail(lower_text(a, g, span->start, span->len))) {
			owned = is_owner(lower_text(a, g, span->start, span->len));
			continue;
		}
		add_item(a, ret_items, g, i, owned);
		/* "their 2023 revenue": it is the revenue that is theirs */
		owned = says_owner(span, g) ||
		    (owned && (span->kind == SPAN_PERIOD || span->kind == SPAN_VALUE));
	}
}

const struct item *items_at(const struct items *s, size_t i)
{
	return i < s->n ? &s->list[i] : &end_item;
}

const struct item *items_before(const struct items *s, size_t i)
{
	return i > 0 ? items_at(s, i - 1) : &end_item;
}

bool item_is_cue(const struct items *s, size_t i, enum cue_kind cue)
{
	const struct item *it = items_at(s, i);

	return it->kind == ITEM_CUE && it->cue == cue;
}

size_t items_skip(const struct items *s, size_t i)
{
	for (;; i++) {
		const struct item *it = items_at(s, i);

		if (it->kind != ITEM_CUE ||
		    (it->cue != CUE_OF && it->cue != CUE_FOR && it->cue != CUE_WITH &&
		        it->cue != CUE_THAT && it->cue != CUE_ALL))
			return i;
	}
}

static bool is_list_glue(const struct item *it)
{
	if (it->kind == ITEM_COLUMN || it->kind == ITEM_COMMA)
		return true;
	return it->kind == ITEM_CUE &&
	    (it->cue == CUE_AND || it->cue == CUE_AVG || it->cue == CUE_SUM || it->cue == CUE_MIN ||
	        it->cue == CUE_MAX || it->cue == CUE_ALSO || it->cue == CUE_ALL ||
	        it->cue == CUE_DISTINCT || it->cue == CUE_EACH || it->cue == CUE_OR);
}

uint32_t items_table_behind(const struct items *s, size_t i)
{
	bool of = false;

	for (size_t k = i + 1; k < s->n; k++) {
		const struct item *it = &s->list[k];

		if (it->kind == ITEM_TABLE)
			return of || k == i + 1 ? it->table : IR_NONE;
		if (it->kind == ITEM_CUE && (it->cue == CUE_OF || it->cue == CUE_FOR)) {
			of = true;
			continue;
		}
		if (!is_list_glue(it) || (of && it->kind == ITEM_COLUMN))
			return IR_NONE;
	}
	return IR_NONE;
}

uint32_t items_table_before(const struct items *s, size_t i)
{
	for (size_t k = i; k-- > 0;) {
		const struct item *it = &s->list[k];

		if (it->kind == ITEM_TABLE)
			return it->table;
		if (it->kind == ITEM_CUE && it->cue == CUE_OF)
			continue;
		if (!is_list_glue(it))
			return IR_NONE;
	}
	return IR_NONE;
}
