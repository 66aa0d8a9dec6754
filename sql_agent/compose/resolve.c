/* Weights are hand-set; see DESIGN.md for where each comes from. */
#include <string.h>

#include "sql_agent/compose/generic.h"
#include "sql_agent/compose/resolve.h"

#define ADJACENT 0.50f       /* T C, T's C */
#define ADJACENT_OF 0.45f    /* C of T */
#define MENTIONED 0.25f      /* its table is named */
#define MENTIONED_LAST 0.05f /* ... and was the last named before it */
#define AGREES 0.24f         /* share of the other items on the same table */
#define PER_HOP 0.03f
#define UNREACHABLE 0.40f
#define NUMBER_WANTED 0.25f
#define KEY_UNWANTED 0.80f
#define BESIDE_COLUMN 0.50f /* value beside its own column */
#define KEY_AT_HOME 0.06f
#define TABLE_FIRST 0.05f /* a table before a column of the same name */
#define DIRECTION 0.30f   /* "from", "to" and a column that is named so */
#define AMOUNT 0.15f      /* a measure that shares its name with its table */
#define BEFORE_COLUMN 0.40f
#define WHOLE_NAME 0.98f
#define GROUPS 0.60f       /* a table behind "each", "no" */
#define OWN_NAME 0.30f     /* a table's very name, in the plural */
#define NOT_AMOUNT 0.95f   /* ... where a number beside has the same word */
#define IS_COUNT 0.80f     /* "how many X" and a column "number of X" */
#define NEAR_MEASURE 0.60f /* period: table of the nearest measure */

static bool is_mentioned(const struct items *s, uint32_t table, size_t except)
{
	for (size_t i = 0; i < s->n; i++)
		if (i != except && s->list[i].kind == ITEM_TABLE && s->list[i].table == table)
			return true;
	return false;
}

static uint32_t last_mentioned(const struct items *s, size_t i)
{
	while (i-- > 0)
		if (s->list[i].kind == ITEM_TABLE)
			return s->list[i].table;
	return IR_NONE;
}

static bool wants_number(const struct items *s, size_t i)
{
	static const enum cue_kind before[] = {
	    CUE_SUM, CUE_AVG, CUE_MIN, CUE_MAX, CUE_MOST, CUE_LEAST};
	static const enum cue_kind after[] = {CUE_GT, CUE_GE, CUE_LT, CUE_LE, CUE_BETWEEN,
	    CUE_THAN_AVG, CUE_MOST, CUE_LEAST, CUE_DIFFERENCE, CUE_SUM, CUE_AVG};
	const struct item *p = items_before(s, i);
	const struct item *n = items_at(s, i + 1);

	for (size_t k = 0; k < ARRAY_SIZE(before); k++)
		if (p->kind == ITEM_CUE && p->cue == before[k])
			return true;
	for (size_t k = 0; k < ARRAY_SIZE(after); k++)
		if (n->kind == ITEM_CUE && n->cue == after[k])
			return true;
	return false;
}

static bool adds_up(const struct items *s, size_t i)
{
	return i > 0 && (item_is_cue(s, i - 1, CUE_SUM) || item_is_cue(s, i - 1, CUE_AVG));
}

/* Agreement with everything else that is chosen, and distance to it. */
static float company(const struct items *s, size_t i, uint32_t table)
{
	const struct view *v = s->view;
	size_t n = 0, same = 0;
	unsigned worst = 0;

	for (size_t k = 0; k < s->n; k++) {
		const struct item *o = &s->list[k];
		unsigned hops;

		if (k == i || o->table == IR_NONE || o->kind == ITEM_CUE || o->kind == ITEM_PERIOD)
			continue;
		n++;
		same += o->table == table;
		hops = view_hops(v, table, o->table);
		worst = hops > worst ? hops : worst;
	}
	if (n == 0)
		return 0;
	return AGREES * (float)same / (float)n -
	    (worst == VIEW_UNREACHABLE ? UNREACHABLE : PER_HOP * (float)worst);
}

/* Does the word also name this table (IR_NONE: any table)? */
static bool names_table_too(const struct items *s, size_t i, uint32_t table)
{
	const struct grounding_span *span = &s->view->g->spans[s->list[i].span];

	for (size_t k = 0; k < span->n_targets; k++)
		if (span->targets[k].table != TARGET_NONE &&
		    span->targets[k].column == TARGET_NONE &&
		    (table == IR_NONE || span->targets[k].table == table))
			return true;
	return false;
}

/* A word that names a table and a measure in it (产量: production, and its amount):
 * the measure, where an amount is spoken of. */
static float amount_bonus(const struct items *s, size_t i, const struct span_target *t)
{
	const struct item *before = items_before(s, i);

	if (!names_table_too(s, i, t->table) ||
	    !view_column(s->view, t->table, t->column)->is_measure)
		return 0;
	if (wants_number(s, i) || item_is_cue(s, i + 1, CUE_WHICH))
		return AMOUNT;
	if (before->kind == ITEM_VALUE && before->table == t->table)
		return AMOUNT;
	if (i > 1 && item_is_cue(s, i - 1, CUE_OF) && s->list[i - 2].table != t->table &&
	    (s->list[i - 2].kind == ITEM_TABLE || s->list[i - 2].kind == ITEM_VALUE))
		return AMOUNT;
	return 0;
}

/* 几个科室, where a column 科室数量 says so for each row */
static bool holds_count(const struct items *s, size_t i, const struct span_target *t)
{
	static const char *const tails[] = {"数量", "个数", "人数", "数", "_count", " count"};
	const char *name = s->view->c->tables[t->table].columns[t->column].name;
	size_t len = strlen(s->list[i].text);

	if (strncasecmp(name, s->list[i].text, len) != 0)
		return false;
	for (size_t k = 0; k < ARRAY_SIZE(tails); k++)
		if (strcmp(name + len, tails[k]) == 0)
			return true;
	return false;
}

static float column_bonus(const struct items *s, size_t i, const struct span_target *t)
{
	const struct view_column *vc = view_column(s->view, t->table, t->column);
	float bonus = amount_bonus(s, i, t);

	if (i > 0 && item_is_cue(s, i - 1, CUE_COUNT) && holds_count(s, i, t))
		bonus += IS_COUNT;
	if (items_table_before(s, i) == t->table)
		bonus += ADJACENT;
	if (items_table_behind(s, i) == t->table)
		bonus += ADJACENT_OF;
	if (is_mentioned(s, t->table, i))
		bonus += MENTIONED;
	if (last_mentioned(s, i) == t->table)
		bonus += MENTIONED_LAST;
	if (wants_number(s, i))
		bonus += vc->is_measure || vc->time != VIEW_NO_TIME ? NUMBER_WANTED : 0;
	/* of a key and the columns that refer to it, the key itself */
	if (vc->is_key && vc->column->pk_position > 0)
		bonus += KEY_AT_HOME;
	if (adds_up(s, i) && vc->is_key)
		bonus -= KEY_UNWANTED;
	/* "artist" beside tracks.artist_id means the artist, not its number */
	if (vc->is_key && names_table_too(s, i, IR_NONE))
		bonus -= KEY_UNWANTED;
	return bonus;
}

/* A column beside a value: do any of its targets name the value's column? */
static bool names_column(const struct items *s, size_t i, const struct span_target *t)
{
	const struct item *it = items_at(s, i);
	const struct grounding_span *span;

	if (it->kind != ITEM_COLUMN)
		return false;
	span = &s->view->g->spans[it->span];
	for (size_t k = 0; k < span->n_targets; k++)
		if (span->targets[k].table == t->table && span->targets[k].column == t->column)
			return true;
	return false;
}

/* "from Oslo to Rome": the column's name says which end it is. */
static bool speaks_of_direction(const struct items *s, size_t before, const struct span_target *t)
{
	static const char *const from[] = {"source", "src", "origin", "dep", "from", "start"};
	static const char *const to[] = {"dest", "arr", "to", "target", "end"};
	const char *name = s->view->c->tables[t->table].columns[t->column].name;
	bool is_from = view_has_word(s->list[before].text, "from"),
	     is_to = view_has_word(s->list[before].text, "to");

	for (size_t k = 0; is_from && k < ARRAY_SIZE(from); k++)
		if (strncasecmp(name, from[k], strlen(from[k])) == 0)
			return true;
	for (size_t k = 0; is_to && k < ARRAY_SIZE(to); k++)
		if (strncasecmp(name, to[k], strlen(to[k])) == 0)
			return true;
	return false;
}

/* A table that is a column of its own, too: 产量, production and its amount. */
static bool is_also_column(const struct items *s, size_t i)
{
	const struct item *it = items_at(s, i);
	const struct grounding_span *span;

	if (it->kind != ITEM_TABLE)
		return false;
	span = &s->view->g->spans[it->span];
	for (size_t k = 0; k < span->n_targets; k++)
		if (span->targets[k].table == it->table && span->targets[k].column != TARGET_NONE &&
		    span->targets[k].score > WHOLE_NAME)
			return true;
	return false;
}

static float value_bonus(const struct items *s, size_t i, const struct span_target *t)
{
	float bonus = 0;
	size_t before = i;

	while (before > 0 &&
	    (item_is_cue(s, before - 1, CUE_OF) || item_is_cue(s, before - 1, CUE_FOR) ||
	        item_is_cue(s, before - 1, CUE_EQ) || item_is_cue(s, before - 1, CUE_NOT)))
		before--;
	if ((before > 0 && names_column(s, before - 1, t)) || names_column(s, i + 1, t))
		bonus += BESIDE_COLUMN;
	if (names_column(s, i + 1, t)) /* "Los Angeles county" */
		bonus += 0.1f;
	if (items_at(s, i + 1)->table == t->table && items_at(s, i + 1)->kind == ITEM_TABLE)
		bonus += MENTIONED;
	if (i > 1 && s->list[i - 1].kind == ITEM_COLUMN && s->list[i - 1].table == t->table &&
	    s->list[i - 2].kind == ITEM_TABLE)
		bonus += BEFORE_COLUMN; /* "companies produce coal" */
	if (items_at(s, i + 1)->table == t->table &&
	    (items_at(s, i + 1)->kind == ITEM_COLUMN || is_also_column(s, i + 1)))
		bonus += BEFORE_COLUMN; /* 煤炭产量: the product, not the industry */
	if (before > 0 && s->list[before - 1].kind == ITEM_TABLE &&
	    s->list[before - 1].table == t->table)
		bonus += MENTIONED;
	if (is_mentioned(s, t->table, i))
		bonus += MENTIONED;
	if (i > 0 && speaks_of_direction(s, i - 1, t))
		bonus += DIRECTION;
	return bonus;
}

/* Nearest column or metric: a period belongs to its table. Same clause first;
 * of two equally near ones the one behind. */
static uint32_t nearest_measure(const struct items *s, size_t i)
{
	uint32_t best = IR_NONE;
	size_t best_distance = SIZE_MAX;

	for (size_t k = 0; k < s->n; k++) {
		const struct item *o = &s->list[k];
		size_t distance = k > i ? k - i : i - k;

		if ((o->kind != ITEM_COLUMN && o->kind != ITEM_METRIC) || o->table == IR_NONE ||
		    view_time_column(s->view, o->table) == IR_NONE)
			continue;
		if (o->kind == ITEM_COLUMN &&
		    !view_column(s->view, o->table, o->column)->is_measure)
			distance += 20;
		for (size_t b = k < i ? k : i; b < (k < i ? i : k); b++)
			distance += s->list[b].kind == ITEM_COMMA ? 6 : 0;
		if (distance < best_distance || (distance == best_distance && k > i)) {
			best = o->table;
			best_distance = distance;
		}
	}
	return best;
}

static float period_bonus(const struct items *s, size_t i, const struct span_target *t)
{
	float bonus = company(s, i, t->table);
	size_t before = i;

	if (nearest_measure(s, i) == t->table)
		bonus += NEAR_MEASURE;
	if (is_mentioned(s, t->table, i))
		bonus += MENTIONED;
	while (before > 0 &&
	    (item_is_cue(s, before - 1, CUE_FOR) || item_is_cue(s, before - 1, CUE_OF)))
		before--;
	if (before > 0 && names_column(s, before - 1, t))
		bonus += BESIDE_COLUMN;
	return bonus;
}

static bool names_column_of(const struct items *s, size_t i, uint32_t table)
{
	const struct item *it = items_at(s, i);
	const struct grounding_span *span;

	if (it->kind != ITEM_COLUMN || it->span == IR_NONE)
		return false;
	span = &s->view->g->spans[it->span];
	for (size_t k = 0; k < span->n_targets; k++)
		if (span->targets[k].table == table && span->targets[k].column != TARGET_NONE &&
		    span->targets[k].score > 0.5f)
			return true;
	return false;
}

/* ... a number of another table, under a name that is less like the word. */
static bool names_measure(const struct items *s, size_t i, uint32_t table)
{
	const struct grounding_span *span = &s->view->g->spans[s->list[i].span];
	const struct item *before = items_before(s, i);
	/* counted, or had: "number of orders", "customers have orders" */
	bool is_thing = item_is_cue(s, i - (i > 0), CUE_COUNT) || item_is_cue(s, i + 1, CUE_EACH) ||
	    (before->kind == ITEM_TABLE && before->span + 1 < s->list[i].span);

	for (size_t k = 0; k < span->n_targets && is_thing; k++)
		if (span->targets[k].column != TARGET_NONE && span->targets[k].score > WHOLE_NAME &&
		    span->targets[k].table != table &&
		    strcasecmp(s->list[i].text,
		        s->view->c->tables[span->targets[k].table]
		            .columns[span->targets[k].column]
		            .name) != 0 &&
		    view_column(s->view, span->targets[k].table, span->targets[k].column)
		        ->is_measure)
			return true;
	return false;
}

/* "the orders of X" where customers.order is a number: the plural is the table's own
 * name. "per shipper": the whole name of a table, not a part of a column's. */
static float table_bonus(const struct items *s, size_t i, const struct span_target *t)
{
	const char *text = s->list[i].text;
	size_t len = strlen(text);

	if (len > 4 && strcmp(text + len - 2, "ed") == 0 && item_is_cue(s, i - (i > 0), CUE_NOT) &&
	    t == &s->view->g->spans[s->list[i].span].targets[0])
		return GROUPS; /* "who never ordered" */
	if (t->score < WHOLE_NAME)
		return 0;
	if (item_is_cue(s, i - (i > 0), CUE_EACH) || item_is_cue(s, i - (i > 0), CUE_NOT))
		return GROUPS;
	return len > 3 && text[len - 1] == 's' &&
	        strcasecmp(s->view->c->tables[t->table].name, text) == 0
	    ? (names_measure(s, i, t->table) ? NOT_AMOUNT : OWN_NAME)
	    : 0;
}

static float target_score(const struct items *s, size_t i, const struct span_target *t)
{
	if (t->metric != TARGET_NONE)
		return t->score;
	if (s->list[i].kind == ITEM_PERIOD)
		return t->score * 0.3f + period_bonus(s, i, t);
	if (t->value.type != VALUE_NULL)
		return t->score + value_bonus(s, i, t) + company(s, i, t->table);
	if (t->column != TARGET_NONE)
		return t->score + column_bonus(s, i, t) + company(s, i, t->table);
	/* a table: its name alone, a little ahead of a column of the same name, more so
	 * right before one of its columns ("school enrollment") */
	return t->score + TABLE_FIRST + table_bonus(s, i, t) +
	    (names_column_of(s, i + 1, t->table) ? MENTIONED : 0) + company(s, i, t->table);
}

static void choose(struct items *s, size_t i)
{
	struct item *it = &s->list[i];
	const struct grounding_span *span = &s->view->g->spans[it->span];
	const struct span_target *best = NULL;
	float best_score = 0, second = -1;

	for (size_t k = 0; k < span->n_targets; k++) {
		const struct span_target *t = &span->targets[k];
		float score = target_score(s, i, t);

		if (!best || score > best_score) {
			second = best ? best_score : second;
			best = t;
			best_score = score;
		} else if (score > second) {
			second = score;
		}
	}
	if (!best)
		return;
	it->target = best;
	it->table = best->metric != TARGET_NONE ? view_metric_table(s->view, best->metric)
	                                        : best->table;
	it->column = best->column;
	it->metric = best->metric;
	it->margin = second < 0 ? 1 : best_score - second;
	if (it->kind == ITEM_CUE || it->kind == ITEM_PERIOD)
		return;
	it->kind = best->metric != TARGET_NONE ? ITEM_METRIC
	    : best->value.type != VALUE_NULL   ? ITEM_VALUE
	    : best->column != TARGET_NONE      ? ITEM_COLUMN
	                                       : ITEM_TABLE;
}

static void round_of(struct items *s, bool tables)
{
	for (size_t i = 0; i < s->n; i++) {
		bool is_table = s->list[i].span != IR_NONE &&
		    s->view->g->spans[s->list[i].span].kind == SPAN_TABLE;

		if (s->list[i].span != IR_NONE && is_table == tables && !s->list[i].fixed)
			choose(s, i);
	}
}

void resolve_items(struct items *s)
{
	for (int round = 0; round < 2; round++) {
		round_of(s, true);
		generic_words(s);
		round_of(s, false);
	}
}
