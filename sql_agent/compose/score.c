/* Features and weights. confidence = 0.97 - sum(weight * feature), at least 0. */
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"
#include "sql_agent/compose/score.h"

#define BASE 0.97

static const struct {
	const char *name;
	double weight;
} table[SCORE_FEATURES] = {
    [SCORE_UNKNOWN_HEAD] = {"unknown_head", 0.60},
    [SCORE_UNKNOWN] = {"unknown", 0.15},
    [SCORE_UNUSED_VALUE] = {"unused_value", 0.50},
    [SCORE_UNUSED_COLUMN] = {"unused_column", 0.25},
    [SCORE_UNUSED_TABLE] = {"unused_table", 0.15},
    [SCORE_FAILED_RULE] = {"failed_rule", 0.55},
    [SCORE_JOINS] = {"joins", 0.03},
    [SCORE_BRIDGES] = {"bridges", 0.10},
    [SCORE_AMBIGUOUS_JOIN] = {"ambiguous_join", 0.15},
    [SCORE_WEAK_LINK] = {"weak_link", 0.32},
    [SCORE_CLOSE_CHOICE] = {"close_choice", 0.12},
    [SCORE_DEFAULT_OUTPUT] = {"default_output", 0.05},
    [SCORE_TOUCHED] = {"touched", 0.04},
    [SCORE_DISTINCT] = {"distinct", 0.02},
    [SCORE_EXISTS] = {"exists", 0.00},
    [SCORE_HAVING] = {"having", 0.00},
    [SCORE_RANKED_COUNT] = {"ranked_count", 0.03},
    [SCORE_SET] = {"set", 0.02},
    [SCORE_OUTPUTS] = {"outputs", 0.05},
    [SCORE_CONDITIONS] = {"conditions", 0.05},
    [SCORE_NO_TABLE] = {"no_table", 0.50},
    [SCORE_OUT_OF_DATA] = {"out_of_data", 0.60},
};

const char *score_feature_name(enum score_feature f)
{
	return table[f].name;
}

static bool cue_in(const struct item *it, const enum cue_kind *list, size_t n)
{
	for (size_t i = 0; it->kind == ITEM_CUE && i < n; i++)
		if (it->cue == list[i])
			return true;
	return false;
}

/* Does the unknown word stand where what is asked for or counted belongs? */
static bool is_head(const struct roles *r, size_t i)
{
	static const enum cue_kind before[] = {CUE_COUNT, CUE_SUM, CUE_AVG, CUE_MIN, CUE_MAX,
	    CUE_MOST, CUE_LEAST, CUE_WHICH, CUE_LIST, CUE_EACH, CUE_TOP, CUE_BOTTOM, CUE_GT, CUE_LT,
	    CUE_GE, CUE_LE};
	static const enum cue_kind behind[] = {CUE_OF, CUE_COUNT, CUE_WHICH, CUE_MOST, CUE_LEAST,
	    CUE_GT, CUE_GE, CUE_LT, CUE_LE, CUE_SUM, CUE_AVG};
	const struct item *p = items_before(r->items, i);
	const struct item *q = items_at(r->items, i + 1);
	bool counts_behind = item_is_cue(r->items, i + 1, CUE_COUNT) &&
	    (items_at(r->items, i + 2)->kind == ITEM_TABLE ||
	        items_at(r->items, i + 2)->kind == ITEM_COLUMN);

	for (size_t k = i; k > 1 && p->kind == ITEM_VALUE && !r->is_zh; k--)
		p = items_at(r->items, k - 2); /* "how many gas stations" */
	if (counts_behind)
		return false; /* 收录了几家公司 */
	if (cue_in(p, before, ARRAY_SIZE(before)) || cue_in(q, behind, ARRAY_SIZE(behind)))
		return true;
	if (p->kind == ITEM_NUMBER || p->kind == ITEM_UNKNOWN)
		return true;
	/* "PetroChina's X", 中国石油的 X */
	return cue_in(p, (const enum cue_kind[]){CUE_OF}, 1) &&
	    (i < 2 || r->is_zh || items_at(r->items, i - 2)->kind == ITEM_VALUE) &&
	    q->kind != ITEM_TABLE;
}

/* A number that linking did not read as one says something all the same. */
static bool is_numeral(const char *text)
{
	static const char digits[] = "0123456789.一二三四五六七八九十百千万亿两";
	uint32_t cp, d;

	for (size_t i = 0, len = strlen(text); i < len;) {
		bool found = false;

		i += utf8_next(text + i, len - i, &cp);
		for (size_t k = 0; k < sizeof(digits) - 1;) {
			k += utf8_next(digits + k, sizeof(digits) - 1 - k, &d);
			found |= d == cp;
		}
		if (!found)
			return false;
	}
	return text[0] != '\0';
}

static void add_word(struct roles *r, struct score *s, size_t i)
{
	*arena_push(r->a, s->unmapped.items, s->unmapped.n) = role_raw_text(r, i);
}

static void words(struct roles *r, struct score *s)
{
	for (size_t i = 0; i < r->items->n; i++) {
		const struct item *it = &r->items->list[i];

		if (it->used)
			continue;
		switch (it->kind) {
		case ITEM_UNKNOWN:
			if (is_numeral(it->text)) {
				s->features[SCORE_UNUSED_VALUE] += 1;
				break;
			}
			s->features[is_head(r, i) ? SCORE_UNKNOWN_HEAD : SCORE_UNKNOWN] += 1;
			break;
		case ITEM_VALUE:
		case ITEM_NUMBER:
		case ITEM_PERIOD:
		case ITEM_TEXT: s->features[SCORE_UNUSED_VALUE] += 1; break;
		case ITEM_COLUMN:
		case ITEM_METRIC: s->features[SCORE_UNUSED_COLUMN] += 1; break;
		case ITEM_TABLE: s->features[SCORE_UNUSED_TABLE] += 1; break;
		default: continue;
		}
		add_word(r, s, i);
	}
}

static void links(struct roles *r, struct score *s)
{
	for (size_t i = 0; i < r->items->n; i++) {
		const struct item *it = &r->items->list[i];

		if (!it->used || !it->target || it->kind == ITEM_CUE || it->kind == ITEM_PERIOD)
			continue;
		if (1 - it->target->score > s->features[SCORE_WEAK_LINK])
			s->features[SCORE_WEAK_LINK] = 1 - it->target->score;
		if (it->margin < 0.03f)
			s->features[SCORE_CLOSE_CHOICE] += 1;
	}
}

/* A year outside what the column holds. */
static void coverage(struct roles *r, struct score *s)
{
	for (size_t i = 0; i < r->ir->n_conditions; i++) {
		const struct ir_condition *c = &r->ir->conditions[i];
		const struct view_column *vc = c->term.kind == IR_COLUMN
		    ? view_column(r->v, c->term.table, c->term.column)
		    : NULL;
		double low, high, want;

		if (!vc || vc->time != VIEW_YEAR || !vc->column->has_range || c->test != IR_EQ ||
		    c->negated || c->against != IR_LITERAL || vc->column->min.type == VALUE_TEXT)
			continue;
		want = strtod(c->low.text, NULL);
		low = value_as_double(&vc->column->min);
		high = value_as_double(&vc->column->max);
		if (want >= low && want <= high)
			continue;
		s->features[SCORE_OUT_OF_DATA] += 1;
		s->out_of_data = arena_printf(r->a,
		    r->is_zh ? "%s.%s 的数据只有 %.0f 到 %.0f" : "%s.%s covers %.0f to %.0f only",
		    r->v->c->tables[c->term.table].name, vc->column->name, low, high);
	}
}

static bool asks_distinct(const struct roles *r)
{
	for (size_t i = 0; i < r->items->n; i++)
		if (item_is_cue(r->items, i, CUE_DISTINCT))
			return true;
	return false;
}

/* What the query is made of: each part is a chance to be wrong. */
static void shape(struct roles *r, const struct emit *em, struct score *s)
{
	const struct ir *ir = r->ir;
	float *f = s->features;

	f[SCORE_JOINS] = (float)em->n_joins;
	f[SCORE_BRIDGES] = (float)em->n_bridges;
	f[SCORE_AMBIGUOUS_JOIN] = em->ambiguous_join;
	f[SCORE_TOUCHED] = (float)ir->n_touched;
	f[SCORE_DISTINCT] = ir->distinct && !asks_distinct(r);
	f[SCORE_EXISTS] = (float)ir->n_exists;
	f[SCORE_HAVING] = ir->n_having > 0;
	f[SCORE_RANKED_COUNT] = ir->n_order > 0 && ir->order[0].term.kind == IR_ROWS;
	f[SCORE_SET] = ir->set != IR_SET_NONE || ir->arithmetic != IR_ARITH_NONE;
	f[SCORE_OUTPUTS] = ir->n_outputs > 2 ? (float)(ir->n_outputs - 2) : 0;
	f[SCORE_CONDITIONS] = ir->n_conditions > 1 ? (float)(ir->n_conditions - 1) : 0;
}

void score_ir(struct roles *r, const struct emit *em, struct score *ret_score)
{
	double sum = 0;

	memset(ret_score, 0, sizeof(*ret_score));
	words(r, ret_score);
	links(r, ret_score);
	coverage(r, ret_score);
	ret_score->features[SCORE_FAILED_RULE] = (float)r->n_failed;
	shape(r, em, ret_score);
	for (size_t i = 0; i < r->ir->n_outputs; i++)
		if (r->ir->outputs[i].is_default)
			ret_score->features[SCORE_DEFAULT_OUTPUT] = 1;
	ret_score->features[SCORE_NO_TABLE] = !r->v->g->sufficient;
	for (size_t f = 0; f < SCORE_FEATURES; f++)
		sum += table[f].weight * (double)ret_score->features[f];
	ret_score->confidence = sum > BASE ? 0 : BASE - sum;
}
