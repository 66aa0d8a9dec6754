/*
 * Candidates that name nothing of the schema: periods, quantities, stop words; and
 * cues through match_cue.c. Runs after names and values, because some cue words
 * yield to a name.
 */
#include <string.h>

#include "common/text/lexicon.h"
#include "common/text/numeral.h"
#include "common/text/period.h"
#include "common/text/unit.h"
#include "schema_agent/match_text.h"

#define SCORE_CUE 0.5f
#define STOP_TOKENS_MAX 5

bool text_is_word(const struct question *q, size_t i, const char *word)
{
	return i < q->tokens.n && !strcmp(q->tokens.items[i].norm, word);
}

bool text_is_one_of(const char *s, const char *const *words, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(s, words[i]))
			return true;
	return false;
}

bool text_is_number(const struct question *q, size_t i)
{
	const struct token *t;
	struct numeral n;

	if (i >= q->tokens.n)
		return false;
	t = &q->tokens.items[i];
	return t->kind == TOKEN_NUMBER || TEXT_IS_ONE_OF(t->norm, "$", "¥", "￥", "-") ||
	    (numeral_parse(t->norm, strlen(t->norm), &n) && !n.is_ordinal);
}

/* First token that starts at or after a byte of the text. */
static uint32_t token_after(const struct question *q, size_t byte)
{
	uint32_t i = 0;

	while (i < q->tokens.n && q->tokens.items[i].start < byte)
		i++;
	return i;
}

/* --- periods and quantities -------------------------------------------------------- */

static bool is_comparison(enum cue_kind k)
{
	return k == CUE_GT || k == CUE_GE || k == CUE_LT || k == CUE_LE || k == CUE_EQ ||
	    k == CUE_NE;
}

/* A comparison cue that ends right before token i. */
static bool comparison_before(const struct question *q, uint32_t i)
{
	struct lexicon_cue cue;
	uint32_t k, back;

	for (back = 1; back <= 6 && back <= i; back++) {
		k = i - back;
		if (lexicon_cue_at(&q->tokens, k, &cue) && k + cue.n_tokens == i &&
		    is_comparison(cue.kind) && !text_is_word(q, k, "after") &&
		    !text_is_word(q, k, "before"))
			return true;
	}
	return false;
}

static bool comparison_after(const struct question *q, uint32_t i)
{
	struct lexicon_cue cue;

	return i < q->tokens.n && lexicon_cue_at(&q->tokens, i, &cue) &&
	    (cue.kind == CUE_GE || cue.kind == CUE_LE) &&
	    (text_is_word(q, i, "or") || q->tokens.items[i].kind == TOKEN_CJK);
}

static void add_periods(struct question *q)
{
	struct period_found f;
	struct candidate *c;
	struct period *p;
	uint32_t i, to;

	for (i = 0; i < q->tokens.n; i++) {
		if (q->tokens.items[i].kind == TOKEN_QUOTED ||
		    !period_parse(q->text, q->tokens.items[i].start, q->o->today, &f))
			continue;
		to = token_after(q, f.period.start + f.period.len);
		if (f.bare && (comparison_before(q, i) || comparison_after(q, to)))
			continue;
		p = arena_push(q->arena, q->periods, q->n_periods);
		*p = f.period;
		c = candidate_add(q, i, to, CLASS_PERIOD, SPAN_PERIOD, 1.0f);
		c->period = (uint32_t)q->n_periods - 1;
	}
}

/* Times that a range of dates cannot say (April, 4月 of no year) and ranks (第二高,
 * 第三名) are no numbers and no columns: one unknown span each. */
static void add_unsaid(struct question *q, uint32_t i)
{
	static const char *const months[] = {"january", "february", "march", "april", "may", "june",
	    "july", "august", "september", "october", "november", "december"};
	const struct token_list *t = &q->tokens;
	const struct token *k = &t->items[i];
	uint32_t number, to = i;
	size_t n;

	if (k->kind == TOKEN_WORD && k->capital && !k->begins_sentence &&
	    text_is_one_of(k->norm, months, ARRAY_SIZE(months))) {
		/* A column for each month (Jan, Feb) wins. */
		candidate_add(q, i, i + 1, CLASS_STOP, SPAN_UNKNOWN, 1.0f);
		return;
	}
	n = lexicon_number_at(t, i, &number);
	if (n && number <= 12 && text_is_word(q, i + (uint32_t)n, "月"))
		to = i + (uint32_t)n + (text_is_word(q, i + (uint32_t)n + 1, "份") ? 2 : 1);
	if (text_is_word(q, i, "第") && i + 1 < t->n) {
		n = lexicon_number_at(t, i + 1, &number);
		if (n && number > 1) {
			to = i + 1 + (uint32_t)n;
			if (to < t->n &&
			    (lexicon_is_classifier(t->items[to].norm) ||
			        TEXT_IS_ONE_OF(t->items[to].norm, "高", "低", "大", "小", "多",
			            "少", "长", "短", "好", "贵", "早", "晚", "快", "慢", "重",
			            "强")))
				to++;
		}
	}
	if (to > i)
		candidate_add(q, i, to, CLASS_CUE, SPAN_UNKNOWN, 1.0f);
}

/* Signs that compare are cues; signs of arithmetic and of SQL are nothing that a
 * question can be read without. */
static void add_sign(struct question *q, uint32_t i)
{
	static const struct {
		const char *first, *second;
		enum cue_kind cue;
	} signs[] = {{">", "=", CUE_GE}, {"<", "=", CUE_LE}, {"!", "=", CUE_NE}, {"<", ">", CUE_NE},
	    {"=", "=", CUE_EQ}, {">", "", CUE_GT}, {"<", "", CUE_LT}, {"=", "", CUE_EQ},
	    {"≥", "", CUE_GE}, {"≤", "", CUE_LE}, {"≠", "", CUE_NE}};
	size_t k;

	for (k = 0; k < ARRAY_SIZE(signs); k++) {
		uint32_t n = *signs[k].second ? 2 : 1;

		if (!text_is_word(q, i, signs[k].first) ||
		    (n == 2 && !text_is_word(q, i + 1, signs[k].second)))
			continue;
		candidate_add(q, i, i + n, CLASS_CUE, SPAN_CUE, SCORE_CUE)->cue = signs[k].cue;
		return;
	}
	if (TEXT_IS_ONE_OF(q->tokens.items[i].norm, "*", "+", "×", "÷", "^", "|"))
		candidate_add(q, i, i + 1, CLASS_CUE, SPAN_UNKNOWN, SCORE_CUE);
}

/* "10-100 euros": the dash of a range between two numbers. */
static void add_dash(struct question *q, uint32_t i)
{
	const struct token_list *t = &q->tokens;

	if (i && i + 1 < t->n && t->items[i - 1].kind == TOKEN_NUMBER && text_is_number(q, i + 1) &&
	    !text_is_word(q, i + 1, "-") &&
	    TEXT_IS_ONE_OF(t->items[i].norm, "-", "~", "–", "—", "～"))
		candidate_add(q, i, i + 1, CLASS_CUE, SPAN_CUE, SCORE_CUE)->cue = CUE_FOR;
}

/* Currency before the number: "$5", "USD 5 million". Tokens it takes: 0 or 1. */
static uint32_t unit_before(const struct question *q, uint32_t i, struct unit *ret_unit)
{
	const struct token *t;

	if (!i)
		return 0;
	t = &q->tokens.items[i - 1];
	if (!TEXT_IS_ONE_OF(
	        t->norm, "$", "¥", "€", "£", "usd", "rmb", "cny", "eur", "gbp", "jpy", "hkd"))
		return 0;
	unit_parse_all(q->arena, t->norm, ret_unit);
	return 1;
}

static bool is_minus(const struct question *q, uint32_t i)
{
	const struct token *t;

	if (!i || !text_is_word(q, i - 1, "-"))
		return false;
	t = &q->tokens.items[i - 1];
	return t->start + 1 == q->tokens.items[i].start &&
	    (!t->start || q->text[t->start - 1] == ' ');
}

/* A number word is a quantity beside a comparison, a unit or a measure word;
 * "one" and 一 only then, others anywhere. */
static bool word_counts(
    const struct question *q, uint32_t i, uint32_t to, const struct numeral *n, bool has_unit)
{
	if (n->is_ordinal)
		return false;
	if (!n->is_word || has_unit || comparison_before(q, i) || comparison_after(q, to))
		return true;
	if (n->digits == 1)
		return false;
	if (q->tokens.items[i].kind != TOKEN_CJK)
		return true;
	return to - i > 1 || (to < q->tokens.n && lexicon_is_classifier(q->tokens.items[to].norm));
}

/* The number at token i with the unit behind it (u->len 0: none) and the prefix
 * tokens before it. */
static void push_quantity(struct question *q, uint32_t i, const struct numeral *n,
    const struct unit *u, uint32_t prefix, const struct unit *before)
{
	size_t end = q->tokens.items[i].start + n->len;
	uint32_t from = i - (is_minus(q, i) ? 1 : prefix);
	const char *unit = prefix ? q->tokens.items[i - 1].norm : "";
	struct quantity *quantity = arena_push(q->arena, q->quantities, q->n_quantities);
	struct candidate *c;

	if (u->len) {
		const char *s = q->text + end;
		size_t skip = strspn(s, " -");

		unit = arena_printf(q->arena, "%s%.*s", unit, (int)(u->len - skip), s + skip);
	}
	*quantity = (struct quantity){
	    .start = q->tokens.items[from].start,
	    .len = (uint32_t)(end + u->len) - q->tokens.items[from].start,
	    .digits = is_minus(q, i) ? -n->digits : n->digits,
	    .scale = n->scale,
	    .unit = unit,
	    .base = *u->base ? u->base : before->base,
	    .magnitude = u->magnitude + before->magnitude,
	};
	c = candidate_add(q, from, token_after(q, end + u->len),
	    n->is_word && !u->len ? CLASS_NUMBER_WORD : CLASS_NUMBER, SPAN_QUANTITY, 1.0f);
	c->quantity = (uint32_t)q->n_quantities - 1;
}

static void add_quantity(struct question *q, uint32_t i)
{
	const struct unit none = {"", 0, 0};
	size_t at = q->tokens.items[i].start, len = strlen(q->text);
	struct unit u = none, before = none;
	uint32_t prefix;
	struct numeral n;

	if (!numeral_parse(q->text + at, len - at, &n))
		return;
	unit_parse(q->text + at + n.len, len - at - n.len, &u);
	prefix = unit_before(q, i, &before);
	if (!word_counts(q, i, token_after(q, at + n.len), &n, u.len || prefix))
		return;
	push_quantity(q, i, &n, &u, prefix, &before);
	/* "10 hours per week" of a column hours_per_week: the number stays. */
	if (u.len && !u.magnitude)
		push_quantity(q, i, &n, &none, prefix, &before);
}

static void add_quantities(struct question *q)
{
	uint32_t i;

	for (i = 0; i < q->tokens.n; i++)
		if (q->tokens.items[i].kind != TOKEN_QUOTED &&
		    q->tokens.items[i].kind != TOKEN_PUNCT) {
			add_quantity(q, i);
			add_unsaid(q, i);
		} else {
			add_dash(q, i);
			if (q->tokens.items[i].kind == TOKEN_PUNCT)
				add_sign(q, i);
		}
}

/* --- words without content ----------------------------------------------------------- */

static void add_stops(struct question *q)
{
	const struct token_list *t = &q->tokens;
	struct unit u;
	uint32_t i, k, to;

	for (i = 0; i < q->n_scope_words; i++)
		candidate_add(q, q->scope_words[i].from, q->scope_words[i].to, CLASS_CUE, SPAN_STOP,
		    SCORE_CUE);
	for (i = 0; i < t->n; i++) {
		const struct token *k0 = &t->items[i];

		if (k0->kind == TOKEN_WORD &&
		    (q->info[i].is_stop || lexicon_is_relation_verb(k0->norm)))
			candidate_add(q, i, i + 1, CLASS_STOP, SPAN_STOP, SCORE_CUE);
		for (k = i + 1; k0->kind == TOKEN_CJK && k <= t->n && k - i <= STOP_TOKENS_MAX; k++)
			if (lexicon_is_stop(token_phrase(q->arena, t, i, k)))
				candidate_add(q, i, k, CLASS_STOP, SPAN_STOP, SCORE_CUE);
		if (i && lexicon_is_classifier(k0->norm) &&
		    (text_is_number(q, i - 1) ||
		        TEXT_IS_ONE_OF(t->items[i - 1].norm, "少", "几", "那", "这", "哪", "每",
		            "各", "该", "某", "数")))
			candidate_add(q, i, i + 1, CLASS_STOP, SPAN_STOP, SCORE_CUE);
		/* A unit without a number: 多少亿元, "in million barrels". */
		if ((k0->kind == TOKEN_CJK || k0->kind == TOKEN_WORD) && k0->len > 1 &&
		    unit_parse(q->text + k0->start, strlen(q->text + k0->start), &u)) {
			to = token_after(q, k0->start + u.len);
			candidate_add(q, i, to, CLASS_STOP, SPAN_STOP, SCORE_CUE);
		}
	}
}

void question_texts(struct question *q)
{
	text_cues(q);
	add_periods(q);
	add_quantities(q);
	add_stops(q);
}
