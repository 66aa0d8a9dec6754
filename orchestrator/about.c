/* See about.h. */
#include "orchestrator/about.h"

#include <stdio.h>
#include <string.h>

#include "common/base/strbuf.h"
#include "common/base/utf8.h"
#include "common/text/lexicon.h"

#define TEXT_MAX (16 * 1024)
#define ITEMS_MAX 60
#define PHRASE_MAX 6 /* tokens of a name */

/* What people call the parts of a schema. "in the database" says nothing alone. */
static const struct {
	const char *phrase;
	enum about_kind kind;
} words[] = {
    {"table", ABOUT_TABLES},
    {"tables", ABOUT_TABLES},
    {"data tables", ABOUT_TABLES},
    {"column", ABOUT_COLUMNS},
    {"columns", ABOUT_COLUMNS},
    {"field", ABOUT_COLUMNS},
    {"fields", ABOUT_COLUMNS},
    {"structure", ABOUT_COLUMNS},
    {"schema", ABOUT_DATA},
    {"database", ABOUT_DATA},
    {"表", ABOUT_TABLES},
    {"数据表", ABOUT_TABLES},
    {"张表", ABOUT_TABLES},
    {"表格", ABOUT_TABLES},
    {"列", ABOUT_COLUMNS},
    {"字段", ABOUT_COLUMNS},
    {"表结构", ABOUT_COLUMNS},
    {"数据库", ABOUT_DATA},
    {"库", ABOUT_DATA},
    {"里", ABOUT_DATA},
    {"中", ABOUT_DATA},
};

/* Cues that ask for a list or a number of things and change nothing else. */
static bool is_plain_cue(enum cue_kind kind)
{
	return kind == CUE_COUNT || kind == CUE_LIST || kind == CUE_WHICH || kind == CUE_OF ||
	    kind == CUE_FOR || kind == CUE_ALL || kind == CUE_EXISTS || kind == CUE_WITH ||
	    kind == CUE_THAT;
}

struct reading {
	struct arena arena;
	const struct catalog *c;
	const struct semantic *s;
	struct token_list t;
	bool has_kind[3];
	uint32_t table;
	size_t n_tables; /* named */
	bool is_in_data; /* a column is called "table", or the like */
};

static bool is_same(struct reading *r, const char *phrase, const char *name)
{
	return *name && strcmp(phrase, token_phrase_of(&r->arena, name)) == 0;
}

static bool is_any(struct reading *r, const char *phrase, const struct semantic_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		if (is_same(r, phrase, names->items[i]))
			return true;
	return false;
}

static bool names_table(struct reading *r, const char *phrase, uint32_t t)
{
	const struct semantic_dataset *d = semantic_dataset_of(r->s, r->c, t);

	return is_same(r, phrase, r->c->tables[t].name) ||
	    (d && (is_same(r, phrase, d->label) || is_any(r, phrase, &d->synonyms)));
}

static bool names_column(struct reading *r, const char *phrase)
{
	for (size_t t = 0; t < r->c->n_tables; t++)
		for (size_t c = 0; c < r->c->tables[t].n_columns; c++) {
			const struct semantic_field *f = semantic_field_of(
			    r->s, r->c, (uint32_t)t, (uint32_t)c);

			if (is_same(r, phrase, r->c->tables[t].columns[c].name) ||
			    (f &&
			        (is_same(r, phrase, f->label) || is_any(r, phrase, &f->synonyms))))
				return true;
		}
	return false;
}

static size_t phrase_end(const struct reading *r, size_t i)
{
	return i + PHRASE_MAX < r->t.n ? i + PHRASE_MAX : r->t.n;
}

/* Tokens of the longest name of a table at i; 0: none. */
static size_t table_at(struct reading *r, size_t i)
{
	for (size_t end = phrase_end(r, i); end > i; end--) {
		const char *phrase = token_phrase(&r->arena, &r->t, i, end);

		for (uint32_t t = 0; t < r->c->n_tables; t++)
			if (names_table(r, phrase, t)) {
				r->n_tables += r->n_tables == 0 || r->table != t;
				r->table = t;
				return end - i;
			}
	}
	return 0;
}

/* Tokens of the longest word for a part of a schema at i; 0: none. */
static size_t word_at(struct reading *r, size_t i)
{
	for (size_t end = phrase_end(r, i); end > i; end--) {
		const char *phrase = token_phrase(&r->arena, &r->t, i, end);

		for (size_t w = 0; w < ARRAY_SIZE(words); w++)
			if (strcmp(phrase, words[w].phrase) == 0) {
				r->has_kind[words[w].kind] = true;
				r->is_in_data |= names_column(r, phrase);
				return end - i;
			}
	}
	return 0;
}

static size_t empty_at(const struct reading *r, size_t i)
{
	struct lexicon_cue cue;

	if (r->t.items[i].kind == TOKEN_PUNCT)
		return 1;
	if (lexicon_cue_at(&r->t, i, &cue))
		return is_plain_cue(cue.kind) && cue.second == CUE_NONE ? cue.n_tokens : 0;
	return lexicon_is_stop(r->t.items[i].norm) || lexicon_is_classifier(r->t.items[i].norm);
}

static bool read_all(struct reading *r)
{
	for (size_t i = 0, n; i < r->t.n; i += n) {
		n = table_at(r, i);
		if (!n)
			n = word_at(r, i);
		if (!n)
			n = empty_at(r, i);
		if (!n)
			return false;
	}
	return true;
}

struct about about_question(const char *question, const struct catalog *c, const struct semantic *s)
{
	struct reading r = {.c = c, .s = s};
	struct about about = {ABOUT_DATA, 0};

	arena_init(&r.arena);
	token_split(&r.arena, question, true, &r.t);
	if (read_all(&r) && !r.is_in_data) {
		about.table = r.table;
		if (r.has_kind[ABOUT_COLUMNS] && (r.n_tables == 1 || c->n_tables == 1))
			about.kind = ABOUT_COLUMNS;
		else if (r.has_kind[ABOUT_TABLES] && r.n_tables == 0 && !r.has_kind[ABOUT_COLUMNS])
			about.kind = ABOUT_TABLES;
	}
	arena_done(&r.arena);
	return about;
}

/* --- the text ------------------------------------------------------------------------ */

static bool is_chinese(const char *question)
{
	size_t len = strlen(question);

	for (size_t i = 0; i < len;) {
		uint32_t cp;

		i += utf8_next(question + i, len - i, &cp);
		if (utf8_cp_is_cjk(cp))
			return true;
	}
	return false;
}

static void put_table(
    struct strbuf *out, const struct catalog_table *t, const struct semantic_dataset *d, bool zh)
{
	char rows[48] = "";

	if (t->n_rows >= 0)
		snprintf(rows, sizeof(rows), zh ? "%lld 行" : "%lld rows", (long long)t->n_rows);
	strbuf_puts(out, t->name);
	if (d && *d->label)
		strbuf_printf(out,
		    *rows    ? zh ? "（%s，%s）" : " (%s, %s)"
		        : zh ? "（%s%s）"
		             : " (%s%s)",
		    d->label, rows);
	else if (*rows)
		strbuf_printf(out, zh ? "（%s）" : " (%s)", rows);
	if (d && d->status != SEMANTIC_ACTIVE)
		strbuf_puts(out, zh ? "，已停用" : ", not to be used");
}

static void put_column(
    struct strbuf *out, const struct catalog_column *c, const struct semantic_field *f, bool zh)
{
	bool has_label = f && *f->label, has_unit = f && *f->unit;

	strbuf_puts(out, c->name);
	if (has_label || has_unit)
		strbuf_printf(out, zh ? "（%s%s%s）" : " (%s%s%s)", has_label ? f->label : "",
		    has_label && has_unit ? zh ? "，" : ", " : "", has_unit ? f->unit : "");
}

const char *about_text(struct arena *a, const struct about *about, const char *question,
    const struct catalog *c, const struct semantic *s)
{
	const struct catalog_table *t = &c->tables[about->table];
	bool is_tables = about->kind == ABOUT_TABLES, zh = is_chinese(question);
	size_t n = is_tables ? c->n_tables : t->n_columns;
	struct strbuf out;
	const char *text;

	strbuf_init(&out, TEXT_MAX);
	if (is_tables)
		strbuf_printf(&out, zh ? "共 %zu 张表：" : "%zu tables: ", n);
	else
		strbuf_printf(&out, zh ? "%s 有 %zu 列：" : "%s has %zu columns: ", t->name, n);
	for (size_t i = 0; i < n && i < ITEMS_MAX; i++) {
		if (i)
			strbuf_puts(&out, zh ? "、" : ", ");
		if (is_tables)
			put_table(&out, &c->tables[i], semantic_dataset_of(s, c, (uint32_t)i), zh);
		else
			put_column(&out, &t->columns[i],
			    semantic_field_of(s, c, about->table, (uint32_t)i), zh);
	}
	if (n > ITEMS_MAX)
		strbuf_printf(&out,
		    zh ? " 等，其余 %zu 个用 nlq schema list 查看"
		       : " and %zu more; see nlq schema list",
		    n - ITEMS_MAX);
	text = arena_strndup(a, out.data, out.len);
	strbuf_done(&out);
	return text;
}
