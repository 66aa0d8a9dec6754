/* Every content word of the question is in the query: words that nothing explains
 * are named, names and values that were found are used, and a question is no SQL. */
#include <ctype.h>
#include <string.h>

#include "common/text/cue.h"
#include "common/text/lemma.h"
#include "verify_agent/cert.h"

#define WHOLE_NAME 0.85F /* a target's score from which on its whole name was said */

/* fin_bak_2023 is the name of something, not a word that can be passed over. */
static bool is_identifier(const struct cert *c, const struct grounding_span *s)
{
	const char *q = c->g->question;
	return memchr(q + s->start, '_', s->len) || q[s->start + s->len] == '_' ||
	    (s->start > 0 && q[s->start - 1] == '_');
}

/* Written like the name of one thing: a capital or a digit inside the sentence. */
static bool is_proper(const struct cert *c, const struct grounding_span *s)
{
	const char *p = c->g->question + s->start;
	bool digit = false;
	for (size_t i = 0; i < s->len; i++) {
		digit |= isdigit((unsigned char)p[i]) != 0;
	}
	return digit || (s->start > 0 && isupper((unsigned char)p[0]));
}

/* Behind "called", "named", "with status": the place of a value. */
static bool is_in_value_place(const struct cert *c, size_t span)
{
	static const char *const naming[] = {
	    "called", "named", "titled", "status", "type", "category"};
	for (size_t i = span; i > 0; i--) {
		const char *text = cert_span_text(c, &c->g->spans[i - 1]);
		for (size_t j = 0; j < ARRAY_SIZE(naming); j++) {
			if (strcasecmp(text, naming[j]) == 0) {
				return true;
			}
		}
		if (c->g->spans[i - 1].kind != SPAN_STOP) {
			break;
		}
	}
	return false;
}

/* Stands in a value or pattern of the query. */
static bool is_in_literal(const struct cert *c, const char *text)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_literals; j++) {
			const struct sql_expr *x = f->literals[j].expr;
			if (x->kind == SQL_STRING && strcasestr(x->text, text)) {
				return true;
			}
		}
	}
	return false;
}

/* Words that stand for any thing or for none: whatever the query is about is what
 * they mean. */
static bool is_light(const char *text)
{
	static const char *const light[] = {
	    "who", "person", "persons", "people", "thing", "things", "full", "manner", "anywhere"};
	for (size_t i = 0; i < ARRAY_SIZE(light); i++) {
		if (strcasecmp(text, light[i]) == 0) {
			return true;
		}
	}
	return false;
}

/* The word is part of the name of a table or column that the query reads. */
static bool is_part_of_used_name(const struct cert *c, const struct grounding_span *s)
{
	char word[LEMMA_MAX];
	if (s->len < 3 || s->len >= LEMMA_MAX) {
		return false;
	}
	char *lower = arena_strndup(c->a, c->g->question + s->start, s->len);
	for (char *p = lower; *p; p++) {
		*p = (char)tolower((unsigned char)*p);
	}
	lemma_of(lower, word);
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_tables; j++) {
			const char *name = c->g->catalog->tables[f->tables[j]].name;
			char lemma[LEMMA_MAX] = "";
			if (strlen(name) < LEMMA_MAX) {
				lemma_of(name, lemma);
			}
			if (strcasestr(name, word) || strcasecmp(lemma, word) == 0) {
				return true;
			}
		}
	}
	return cert_uses_words(c, s);
}

/* A word between two named things that the query joins says how they belong
 * together ("students tried out for colleges"): the join stands for it. */
static bool is_carried_by_join(const struct cert *c, size_t span)
{
	bool before = false, behind = false, joins = false;
	for (size_t i = 0; i < c->n_steps; i++) {
		joins |= c->steps[i].facts.n_joins > 0;
	}
	for (size_t i = 0; i < c->g->n_spans; i++) {
		enum span_kind kind = c->g->spans[i].kind;
		bool named = kind == SPAN_TABLE || kind == SPAN_COLUMN || kind == SPAN_VALUE;
		before |= named && i < span;
		behind |= named && i > span;
	}
	const struct grounding_span *s = &c->g->spans[span];
	const char *end = c->g->question + s->start + s->len;
	return joins && before && behind && s->len > 3 &&
	    (strncasecmp(end - 2, "ed", 2) == 0 || strncasecmp(end - 3, "ing", 3) == 0);
}

/* One Chinese character is more often a piece of a word that was cut than a word. */
static bool is_fragment(const struct cert *c, const struct grounding_span *s)
{
	return c->zh && s->len <= 3 && (unsigned char)c->g->question[s->start] >= 0x80;
}

/* "orders that were delivered": a participle is a condition, and a query over all
 * rows of one table has none. */
static bool is_lost_participle(const struct cert *c, size_t span)
{
	static const char *const be[] = {"is", "are", "was", "were", "been", "be", "got"};
	const struct grounding_span *s = &c->g->spans[span];
	const struct sql_facts *f = &c->steps[c->n_steps - 1].facts;
	const char *text = cert_span_text(c, s);
	if (s->kind != SPAN_STOP || span == 0 || s->len < 5 ||
	    strcasecmp(text + s->len - 2, "ed") != 0 || f->n_literals || f->has_negation ||
	    f->n_tables != 1 || f->has_group_by || f->has_limit || c->n_steps > 1) {
		return false;
	}
	/* What every row of the data is. */
	static const char *const always[] = {"listed", "recorded", "stored", "registered",
	    "included", "contained", "involved", "offered", "provided"};
	for (size_t i = 0; i < ARRAY_SIZE(always); i++) {
		if (strcasecmp(text, always[i]) == 0) {
			return false;
		}
	}
	const char *before = cert_span_text(c, s - 1);
	for (size_t i = 0; i < ARRAY_SIZE(be); i++) {
		if (strcasecmp(before, be[i]) == 0) {
			return true;
		}
	}
	return false;
}

void cert_check_words(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		const char *text = cert_span_text(c, s);
		if (is_lost_participle(c, i)) {
			cert_line(c, k, CHECK_FAIL,
			    SAY(c, "“%s”是条件，查询没有筛选",
			        "\"%s\" is a condition, but the query takes all rows"),
			    text);
		}
		if (s->kind != SPAN_UNKNOWN || is_in_literal(c, text)) {
			continue;
		}
		if (is_identifier(c, s)) {
			cert_line(c, k, CHECK_FAIL,
			    SAY(c, "没有名为“%s”的数据", "there is nothing named \"%s\""), text);
		} else if (is_proper(c, s) || is_in_value_place(c, i)) {
			cert_line(c, k, CHECK_FAIL,
			    SAY(c, "数据中没有“%s”这个值；请核对写法",
			        "no value \"%s\" in the data; check its spelling"),
			    text);
		} else {
			bool light = is_part_of_used_name(c, s) || is_carried_by_join(c, i) ||
			    is_fragment(c, s) || is_light(text);
			cert_line(c, k, light ? CHECK_UNKNOWN : CHECK_FAIL,
			    SAY(c, "问题中的“%s”没有对应的数据；请换一个词或去掉它",
			        "nothing in the data explains \"%s\"; use another word or leave it out"),
			    text);
		}
	}
}

/* --- names that were found are used -------------------------------------------- */

static bool reads_table(const struct cert *c, uint32_t table)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		for (size_t j = 0; j < c->steps[i].facts.n_tables; j++) {
			if (c->steps[i].facts.tables[j] == table) {
				return true;
			}
		}
	}
	return false;
}

/* Rows of a table that refers to another one each belong to a row of that: figures
 * "of all companies" need not read the companies. */
static bool reads_belongings(const struct cert *c, uint32_t table)
{
	for (size_t i = 0; i < c->g->catalog->n_relations; i++) {
		const struct catalog_relation *r = &c->g->catalog->relations[i];
		if (r->to_table == table && reads_table(c, r->from_table)) {
			return true;
		}
	}
	return false;
}

static bool is_target_used(const struct cert *c, const struct span_target *t)
{
	if (t->column != TARGET_NONE) {
		return cert_uses_column(c, t->table, t->column);
	}
	return t->table == TARGET_NONE || reads_table(c, t->table) || reads_belongings(c, t->table);
}

/* "the names of the tracks": the name is the track's, so another table's name is no
 * answer to it. */
static bool is_of_other_table(const struct cert *c, size_t column)
{
	size_t i = column + 1;
	bool of = false;
	while (i < c->g->n_spans &&
	    (c->g->spans[i].kind == SPAN_STOP ||
	        (c->g->spans[i].kind == SPAN_CUE &&
	            (c->g->spans[i].cue == CUE_OF || c->g->spans[i].cue == CUE_ALL)))) {
		of |= c->g->spans[i].kind == SPAN_CUE;
		i++;
	}
	if (c->zh || !of || i >= c->g->n_spans || c->g->spans[i].kind != SPAN_TABLE ||
	    c->g->spans[i].targets[0].column != TARGET_NONE) {
		return false;
	}
	uint32_t table = c->g->spans[i].targets[0].table;
	const struct grounding_span *s = &c->g->spans[column];
	bool has = false;
	for (size_t j = 0; j < s->n_targets; j++) {
		has |= s->targets[j].table == table && s->targets[j].score >= WHOLE_NAME;
	}
	return has && !reads_table(c, table);
}

/* What stands in the question under its own name is somewhere in the query, or
 * another reading of the same words is. */
void cert_check_columns(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		bool used = s->n_targets == 0;
		for (size_t j = 0; j < s->n_targets && !used; j++) {
			used = is_target_used(c, &s->targets[j]);
		}
		if ((s->kind == SPAN_COLUMN || s->kind == SPAN_TABLE) && !used &&
		    !is_part_of_used_name(c, s)) {
			/* Half a name may have been meant for something else. */
			bool whole = s->targets[0].score >= WHOLE_NAME;
			cert_line(c, k, whole ? CHECK_FAIL : CHECK_UNKNOWN,
			    SAY(c, "问题中的“%s”没有用到查询里",
			        "\"%s\" of the question is not in the query"),
			    cert_span_text(c, s));
		} else if (s->kind == SPAN_COLUMN && is_of_other_table(c, i)) {
			cert_line(c, k, CHECK_FAIL,
			    SAY(c, "“%s”是另一张表的，查询没有用到",
			        "\"%s\" belongs to a table that the query does not read"),
			    cert_span_text(c, s));
		}
	}
}

/* --- SQL instead of a question ---------------------------------------------------- */

static bool begins_with(const char *s, const char *word)
{
	size_t n = strlen(word);
	return strncasecmp(s, word, n) == 0 && !isalnum((unsigned char)s[n]);
}

/* "drop table x", "insert into x", "delete from x", "update x set". */
static bool is_change(const char *s)
{
	static const char *const first[] = {"drop", "delete", "insert", "update", "alter", "create",
	    "truncate", "replace", "pragma", "attach"};
	static const char *const second[] = {
	    " table ", " from ", " into ", " set ", " index ", " view ", " database "};
	for (size_t i = 0; i < ARRAY_SIZE(first); i++) {
		if (!begins_with(s, first[i])) {
			continue;
		}
		for (size_t j = 0; j < ARRAY_SIZE(second); j++) {
			if (strcasestr(s, second[j])) {
				return true;
			}
		}
	}
	return false;
}

/* Marks that a question has no use for. */
static bool has_sql_marks(const char *s)
{
	static const char *const marks[] = {
	    "; --", ";--", "';", "union select", "union all select", "' or '1", "/*"};
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		if (strcasestr(s, marks[i])) {
			return true;
		}
	}
	return false;
}

bool cert_is_sql(struct cert *c, const char *question)
{
	struct sql_select *tree = NULL;
	struct err e = ERR_INIT;
	const char *s = question + strspn(question, " \t\r\n(;'\"");
	if (is_change(s) || has_sql_marks(question)) {
		return true;
	}
	/* "Select the names of singers" is English; what parses is not. */
	return (begins_with(s, "select") || begins_with(s, "with")) &&
	    sql_parse(c->a, &sql_dialect_sqlite, s, strlen(s), &tree, &e) == 0 &&
	    tree->cores[0]->n_from > 0;
}

/* Answering SQL as if it were a question runs something else than what it says. */
void cert_check_input(struct cert *c, const struct cert_check *k)
{
	if (cert_is_sql(c, c->g->question)) {
		cert_line(c, k, CHECK_FAIL, "%s",
		    SAY(c, "这是 SQL，不是问题；要运行 SQL 请用 nlq sql run",
		        "this is SQL, not a question; to run SQL use nlq sql run"));
	}
}
