/* Questions about single items of the catalog and the model: targets by name,
 * time columns, stored values. */
#include <string.h>
#include <strings.h>

#include "schema_agent/index.h"

#define YEARS_MIN 3

/* Dataset by its own name, else the table of that name; -1 if there is none. */
static int table_of_dataset(const struct ground_index *ix, const char *name)
{
	int d = ix->semantic ? semantic_find_dataset(ix->semantic, name) : -1;

	return d >= 0 ? semantic_dataset_table(&ix->semantic->datasets[d], ix->catalog)
	              : catalog_find_table(ix->catalog, name);
}

bool index_resolve_target(
    const struct ground_index *ix, const char *target, struct span_target *ret_target)
{
	const char *dot = strrchr(target, '.');
	struct span_target t = {TARGET_NONE, TARGET_NONE, TARGET_NONE, {0}, 1.0f, HOW_LABEL};
	char name[256];
	int table, column;
	int metric = ix->semantic ? semantic_find_metric(ix->semantic, target) : -1;

	if (metric >= 0) {
		t.metric = (uint32_t)metric;
		*ret_target = t;
		return true;
	}
	if (strlen(target) >= sizeof(name))
		return false;
	strcpy(name, target);
	if (dot)
		name[dot - target] = '\0';
	table = table_of_dataset(ix, name);
	if (table < 0)
		return false;
	t.table = (uint32_t)table;
	if (dot) {
		column = catalog_find_column(&ix->catalog->tables[table], dot + 1);
		if (column < 0)
			return false;
		t.column = (uint32_t)column;
	}
	*ret_target = t;
	return true;
}

static bool name_has(const char *name, const char *const *words, size_t n)
{
	struct arena a = ARENA_INIT;
	struct name_words w;
	size_t i, k;
	bool found = false;

	name_split(&a, name, NULL, NULL, &w);
	for (i = 0; i < n && !found; i++) {
		for (k = 0; k < w.n; k++)
			found |= !strcmp(w.words[k], words[i]);
		found |= w.is_cjk && strstr(w.phrase, words[i]);
	}
	arena_done(&a);
	return found;
}

static bool is_year_number(const struct value *v)
{
	size_t i;

	if (v->type == VALUE_INT)
		return v->i >= 1700 && v->i <= 2100;
	if (v->type == VALUE_REAL)
		return v->r >= 1700 && v->r <= 2100;
	if (v->type != VALUE_TEXT || v->len != 4)
		return false;
	for (i = 0; i < 4; i++)
		if (v->text[i] < '0' || v->text[i] > '9')
			return false;
	return v->text[0] == '1' || v->text[0] == '2';
}

/* "2023-03-15 10:00", "2023/3/15" */
static bool is_date_text(const struct value *v)
{
	size_t i;

	if (v->type != VALUE_TEXT || v->len < 8)
		return false;
	for (i = 0; i < 4; i++)
		if (v->text[i] < '0' || v->text[i] > '9')
			return false;
	return v->text[4] == '-' || v->text[4] == '/' || v->text[4] == '.';
}

static const struct value *some_value(const struct catalog_column *c)
{
	if (c->n_domain)
		return &c->domain[0];
	if (c->n_samples)
		return &c->samples[0];
	return c->has_range ? &c->min : NULL;
}

/* Text whose values are all years needs no name that says so. */
static bool has_only_years(const struct catalog_column *c)
{
	size_t i;

	for (i = 0; i < c->n_domain; i++)
		if (c->domain[i].type != VALUE_TEXT || !is_year_number(&c->domain[i]))
			return false;
	return c->n_domain >= YEARS_MIN;
}

bool index_is_year(const struct ground_index *ix, uint32_t table, uint32_t column)
{
	const struct catalog_column *c = &ix->catalog->tables[table].columns[column];
	const struct semantic_field *f = semantic_field_of(
	    ix->semantic, ix->catalog, table, column);
	const struct value *v = some_value(c);
	static const char *const words[] = {"year", "yr", "season", "年份", "年度", "年"};

	if (f && *f->time)
		return !strcmp(f->time, "year");
	/* Years before our era and 0 for unknown are years, too. */
	if (c->has_range && c->affinity != AFFINITY_TEXT)
		return is_year_number(&c->max) && name_has(c->name, words, ARRAY_SIZE(words));
	if (v && !is_year_number(v))
		return false;
	return has_only_years(c) || name_has(c->name, words, ARRAY_SIZE(words));
}

bool index_is_time(
    const struct ground_index *ix, uint32_t table, uint32_t column, enum target_how *ret_how)
{
	static const char *const words[] = {"date", "time", "datetime", "timestamp", "day", "month",
	    "year", "birthday", "birth", "日期", "时间", "年份", "年度", "月份"};
	const struct catalog_column *c = &ix->catalog->tables[table].columns[column];
	const struct semantic_field *f = semantic_field_of(
	    ix->semantic, ix->catalog, table, column);
	const struct value *v = some_value(c);

	*ret_how = HOW_PARTIAL;
	if (f && *f->time) {
		*ret_how = HOW_LABEL;
		return true;
	}
	if (index_is_year(ix, table, column))
		return true;
	if (v && is_date_text(v))
		return true;
	if (v && v->type == VALUE_TEXT)
		return (strcasestr(c->decl_type, "date") || strcasestr(c->decl_type, "time")) &&
		    name_has(c->name, words, ARRAY_SIZE(words));
	return strcasestr(c->decl_type, "date") != NULL ||
	    strcasestr(c->decl_type, "timestamp") != NULL;
}

bool index_is_plain_time(const struct ground_index *ix, uint32_t table, uint32_t column)
{
	static const char *const words[] = {"date", "time", "datetime", "timestamp", "day", "month",
	    "year", "quarter", "season", "period", "fiscal", "stat", "report", "日期", "时间",
	    "年份", "年度", "月份", "年", "期"};
	const struct catalog_table *t = &ix->catalog->tables[table];
	struct arena a = ARENA_INIT;
	struct name_words w, own;
	size_t i, k;
	bool plain = true;

	name_split(&a, t->columns[column].name, NULL, NULL, &w);
	name_split(&a, t->name, NULL, NULL, &own);
	for (i = 0; i < w.n && plain; i++) {
		plain = false;
		for (k = 0; k < ARRAY_SIZE(words); k++)
			plain |= !strcmp(w.words[i], words[k]);
		for (k = 0; k < own.n; k++)
			plain |= !strcmp(w.words[i], own.words[k]);
	}
	arena_done(&a);
	return plain;
}

const struct value *index_stored_text(const struct catalog_column *c, const char *text)
{
	struct strbuf b;
	const struct value *found = NULL;
	size_t i;

	strbuf_init(&b, 4096);
	for (i = 0; i < c->n_domain && !found; i++) {
		strbuf_clear(&b);
		value_print(&b, &c->domain[i]);
		if (!b.failed && !strcmp(b.data, text))
			found = &c->domain[i];
	}
	strbuf_done(&b);
	return found;
}

/* The expression names columns as dataset.column; a dataset that is not there
 * goes by its table's name. */
bool index_metric_uses(const struct ground_index *ix, uint32_t metric, uint32_t table)
{
	const struct semantic_dataset *d = ix->tables[table].dataset;
	const char *name = d ? d->name : ix->catalog->tables[table].name;
	const char *at = ix->semantic->metrics[metric].expression;
	size_t n = strlen(name);

	while ((at = strcasestr(at, name))) {
		bool border = at == ix->semantic->metrics[metric].expression ||
		    !(at[-1] == '_' || (at[-1] | 32) >= 'a' || (at[-1] >= '0' && at[-1] <= '9'));

		if (border && (at[n] == '.' || (at[n] == '"' && at[n + 1] == '.')))
			return true;
		at++;
	}
	return false;
}
