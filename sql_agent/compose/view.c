/* Roles of tables and columns, read off names, keys, types and domains. */
#include <ctype.h>
#include <string.h>

#include "sql_agent/compose/view.h"

#define MAX_WORDS 12

size_t view_name_words(struct arena *a, const char *name, const char **ret_words, size_t max)
{
	size_t n = 0, i = 0;

	while (name[i] && n < max) {
		size_t from;
		char *word;

		while (name[i] && !isalnum((unsigned char)name[i]) && (unsigned char)name[i] < 0x80)
			i++;
		from = i;
		while (name[i] &&
		    (isalnum((unsigned char)name[i]) || (unsigned char)name[i] >= 0x80)) {
			if (i > from && isupper((unsigned char)name[i]) &&
			    islower((unsigned char)name[i - 1]))
				break;
			i++;
		}
		if (i == from)
			continue;
		word = arena_strndup(a, name + from, i - from);
		for (char *p = word; *p; p++)
			*p = (char)tolower((unsigned char)*p);
		ret_words[n++] = word;
	}
	return n;
}

bool view_has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = text; (p = strcasestr(p, word)) != NULL; p++) {
		bool left = p == text || !isalnum((unsigned char)p[-1]);
		bool right = !isalnum((unsigned char)p[len]);

		if (left && right)
			return true;
	}
	return false;
}

static bool word_in(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(word, *list) == 0)
			return true;
	return false;
}

static bool last_word_in(struct arena *a, const char *name, const char *const *list)
{
	const char *words[MAX_WORDS];
	size_t n = view_name_words(a, name, words, MAX_WORDS);

	return n > 0 && word_in(words[n - 1], list);
}

static bool ends_with(const char *s, const char *tail)
{
	size_t n = strlen(s), m = strlen(tail);

	return n >= m && strcasecmp(s + n - m, tail) == 0;
}

static bool named_id(struct arena *a, const char *name)
{
	static const char *const ids[] = {"id", "ids", "key", "uuid", "guid", NULL};

	/* StuID, courseid: glued, but only where more than two letters come first */
	return last_word_in(a, name, ids) ||
	    (strlen(name) > 4 && (ends_with(name, "ID") || ends_with(name, "Id"))) ||
	    ends_with(name, "编号") || ends_with(name, "代码");
}

static bool named_code(struct arena *a, const char *name)
{
	static const char *const codes[] = {"code", "codes", "zip", "zipcode", "postcode", "phone",
	    "ssn", "isbn", "no", "number", "num", "room", NULL};

	return last_word_in(a, name, codes);
}

static bool named_year(struct arena *a, const char *name)
{
	static const char *const years[] = {"year", "yr", "years", NULL};

	return last_word_in(a, name, years) || ends_with(name, "年份") || ends_with(name, "年度") ||
	    strcmp(name, "年") == 0;
}

static bool is_year_value(const struct value *v)
{
	double d = v->type == VALUE_TEXT ? 0 : value_as_double(v);

	if (v->type == VALUE_TEXT && v->len == 4 && strspn(v->text, "0123456789") == 4)
		return true;
	return d >= 1000 && d <= 2200;
}

static bool is_iso_date(const struct value *v)
{
	static const char shape[] = "dddd-dd-dd";

	if (v->type != VALUE_TEXT || v->len < 10)
		return false;
	for (size_t i = 0; i < 10; i++)
		if (shape[i] == 'd' ? !isdigit((unsigned char)v->text[i]) : v->text[i] != shape[i])
			return false;
	return v->len == 10 || v->text[10] == ' ' || v->text[10] == 'T';
}

static enum view_time time_of(struct arena *a, const struct view_column *vc)
{
	const struct catalog_column *c = vc->column;

	if (vc->field && vc->field->time[0])
		return strcmp(vc->field->time, "year") == 0 ? VIEW_YEAR : VIEW_DATE;
	if (c->has_range && is_iso_date(&c->min) && is_iso_date(&c->max))
		return VIEW_DATE;
	if (named_year(a, c->name) &&
	    (!c->has_range || (is_year_value(&c->min) && is_year_value(&c->max))))
		return VIEW_YEAR;
	return VIEW_NO_TIME;
}

/* Two values (or one) of a yes/no family; the stored spelling is kept. */
static void find_yes_no(struct view_column *vc)
{
	static const char *const family[][2] = {
	    {"yes", "no"}, {"y", "n"}, {"t", "f"}, {"true", "false"}, {"1", "0"}, {"是", "否"}};
	const struct catalog_column *c = vc->column;
	const char *found[2] = {NULL, NULL};

	if (!c->domain_complete || c->n_domain == 0 || c->n_domain > 2)
		return;
	for (size_t f = 0; f < ARRAY_SIZE(family); f++) {
		found[0] = found[1] = NULL;
		for (size_t d = 0; d < c->n_domain; d++) {
			const struct value *v = &c->domain[d];

			for (int side = 0; side < 2; side++) {
				if (v->type == VALUE_TEXT &&
				    strcasecmp(v->text, family[f][side]) == 0)
					found[side] = v->text;
				if (v->type == VALUE_INT &&
				    family[f][side][0] == (v->i ? '1' : '0') &&
				    (v->i == 0 || v->i == 1))
					found[side] = family[f][side];
			}
		}
		if ((found[0] != NULL) + (found[1] != NULL) == (int)c->n_domain)
			break;
		found[0] = found[1] = NULL;
	}
	/* where all are no, the yes of a column that was declared so is still known */
	if (!found[0] && found[1] && strcmp(found[1], "0") == 0 &&
	    (strcasestr(c->decl_type, "bool") || ends_with(c->name, "ed")))
		found[0] = "1";
	if (!found[0])
		return;
	vc->yes = found[0];
	vc->no = found[1];
	vc->yes_is_number = c->domain[0].type == VALUE_INT;
}

static bool all_numbers(const struct catalog_column *c)
{
	if (catalog_column_is_numeric(c))
		return !c->has_range || c->max.type != VALUE_TEXT;
	return c->has_range && value_is_number(&c->min) && value_is_number(&c->max);
}

static void column_init(struct arena *a, const struct view *v, uint32_t t, uint32_t i)
{
	struct view_table *vt = &v->tables[t];
	struct view_column *vc = &vt->columns[i];
	const struct catalog_column *c = &vt->table->columns[i];

	vc->column = c;
	vc->field = semantic_field_of(v->g->semantic, v->c, t, i);
	vc->is_number = all_numbers(c);
	vc->is_text = !vc->is_number;
	vc->is_key = (c->pk_position > 0 && vt->table->n_pk == 1) || named_id(a, c->name);
	vc->time = time_of(a, vc);
	vc->is_measure = vc->is_number && !vc->is_key && !named_code(a, c->name) &&
	    vc->time == VIEW_NO_TIME;
	if (vc->field && vc->field->unit[0])
		vc->is_measure = vc->is_number;
	find_yes_no(vc);
}

static void mark_foreign_keys(struct view *v)
{
	for (size_t r = 0; r < v->c->n_relations; r++) {
		const struct catalog_relation *rel = &v->c->relations[r];

		if (rel->n_columns != 1)
			continue;
		struct view_column *vc = &v->tables[rel->from_table].columns[rel->from_columns[0]];

		vc->is_key = true;
		vc->is_measure = false;
	}
}

/* --- display column ------------------------------------------------------------ */

static bool ends_with_any(const char *name, const char *const *tails, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ends_with(name, tails[i]))
			return true;
	return false;
}

/* orders.ship_name: a name that comes again and again beside the rows' own key */
static bool is_of_another(const struct view_table *vt, const struct catalog_column *c)
{
	return vt->key != IR_NONE && vt->table->n_rows >= 20 && c->n_distinct > 0 &&
	    c->n_distinct * 2 < vt->table->n_rows;
}

static int display_rank(struct arena *a, const struct view_table *vt, uint32_t i)
{
	static const char *const names[] = {"name", "names", NULL};
	static const char *const descriptions[] = {
	    "description", "desc", "details", "detail", NULL};
	static const char *const titles[] = {"title", "label", NULL};
	const struct view_column *vc = &vt->columns[i];
	const char *name = vc->column->name;

	if (vc->field && vc->field->is_display)
		return 100;
	if (strcasecmp(name, "name") == 0 || strcmp(name, "名称") == 0 || strcmp(name, "姓名") == 0)
		return 90;
	if (vc->column->pk_position > 0 && vt->table->n_pk == 1 && !vc->is_text)
		return 3; /* a number says more about a row than a text that repeats */
	if (!vc->is_text)
		return vc->is_key ? 1 : 0;
	if (last_word_in(a, name, names) || ends_with(name, "name") || ends_with(name, "名称") ||
	    ends_with(name, "名"))
		return vc->is_key ? 60 : is_of_another(vt, vc->column) ? 2 : 80;
	if (last_word_in(a, name, titles) || ends_with(name, "title"))
		return 70;
	if (strcasecmp(name, vt->table->name) == 0)
		return 65;
	if (last_word_in(a, name, descriptions))
		return 50;
	if (vc->is_key) /* who a row belongs to does not name it */
		return vc->column->pk_position == 0 && vt->key != IR_NONE ? 2 : 30;
	if (vc->column->is_unique)
		return 40;
	/* nearly every row has its own: campus in campuses, but no date */
	return vc->time == VIEW_NO_TIME && vc->column->n_distinct > 0 &&
	        vc->column->n_distinct * 10 >= vt->table->n_rows * 8
	    ? 35
	    : 2;
}

static void find_display(struct arena *a, struct view_table *vt)
{
	static const char *const first[] = {
	    "first_name", "firstname", "fname", "forename", "given_name"};
	static const char *const last[] = {
	    "last_name", "lastname", "lname", "surname", "family_name"};
	int best = -1;

	for (uint32_t i = 0; i < vt->table->n_columns; i++) {
		int rank = display_rank(a, vt, i);

		if (rank > best) {
			best = rank;
			vt->display[0] = i;
			vt->n_display = 1;
		}
	}
	for (uint32_t i = 0; i < vt->table->n_columns; i++) {
		if (ends_with_any(vt->table->columns[i].name, first, ARRAY_SIZE(first)) &&
		    vt->first == IR_NONE)
			vt->first = i;
		if (ends_with_any(vt->table->columns[i].name, last, ARRAY_SIZE(last)) &&
		    vt->last == IR_NONE)
			vt->last = i;
	}
	vt->is_named = best >= 60 || (vt->first != IR_NONE && vt->last != IR_NONE);
	if (best >= 90 || vt->first == IR_NONE || vt->last == IR_NONE)
		return;
	vt->display[0] = vt->first;
	vt->display[1] = vt->last;
	vt->n_display = 2;
}

/* --- tables -------------------------------------------------------------------- */

static void table_init(struct arena *a, struct view *v, uint32_t t)
{
	struct view_table *vt = &v->tables[t];

	vt->table = &v->c->tables[t];
	vt->dataset = semantic_dataset_of(v->g->semantic, v->c, t);
	vt->is_trap = vt->dataset && vt->dataset->status != SEMANTIC_ACTIVE;
	vt->columns = arena_new_array(a, vt->table->n_columns, struct view_column);
	vt->first = vt->last = IR_NONE;
	vt->key = vt->table->n_pk == 1 ? vt->table->pk[0] : IR_NONE;
	for (uint32_t i = 0; i < vt->table->n_columns; i++)
		column_init(a, v, t, i);
}

static uint8_t *distances(struct arena *a, const struct view *v, bool up_only)
{
	size_t n = v->n_tables;
	uint8_t *hops = arena_alloc(a, n * n + 1);

	memset(hops, VIEW_UNREACHABLE, n * n);
	for (size_t i = 0; i < n; i++)
		hops[i * n + i] = 0;
	/* a grounding holds tens of tables: relax until nothing changes */
	for (size_t round = 0, changed = 1; changed && round < n; round++) {
		changed = 0;
		for (size_t r = 0; r < v->c->n_relations; r++) {
			const struct catalog_relation *rel = &v->c->relations[r];
			bool up = rel->cardinality != CARDINALITY_MANY_TO_MANY;
			bool down = !up_only || rel->cardinality == CARDINALITY_ONE_TO_ONE;

			for (size_t i = 0; i < n; i++) {
				uint8_t *from = &hops[i * n + rel->from_table],
				        *to = &hops[i * n + rel->to_table];

				if ((up || !up_only) && *from < VIEW_UNREACHABLE - 1 &&
				    *from + 1 < *to)
					*to = (uint8_t)(*from + 1), changed = 1;
				if (down && *to < VIEW_UNREACHABLE - 1 && *to + 1 < *from)
					*from = (uint8_t)(*to + 1), changed = 1;
			}
		}
	}
	return hops;
}

struct view *view_new(struct arena *a, const struct grounding *g)
{
	struct view *v = arena_new(a, struct view);

	v->g = g;
	v->c = g->catalog;
	v->n_tables = g->catalog->n_tables;
	v->tables = arena_new_array(a, v->n_tables, struct view_table);
	for (uint32_t t = 0; t < v->n_tables; t++)
		table_init(a, v, t);
	mark_foreign_keys(v);
	for (uint32_t t = 0; t < v->n_tables; t++)
		find_display(a, &v->tables[t]);
	v->hops = distances(a, v, false);
	v->up = distances(a, v, true);
	return v;
}

unsigned view_hops(const struct view *v, uint32_t from, uint32_t to)
{
	return v->hops[from * v->n_tables + to];
}

bool view_is_parent(const struct view *v, uint32_t from, uint32_t to)
{
	return v->up[from * v->n_tables + to] != VIEW_UNREACHABLE;
}

const struct view_column *view_column(const struct view *v, uint32_t table, uint32_t column)
{
	return &v->tables[table].columns[column];
}

uint32_t view_time_column(const struct view *v, uint32_t table)
{
	const struct view_table *vt = &v->tables[table];
	uint32_t found = IR_NONE;

	for (uint32_t i = 0; i < vt->table->n_columns; i++) {
		const struct view_column *vc = &vt->columns[i];

		if (vc->time == VIEW_NO_TIME)
			continue;
		/* a column that the model or its plain name calls the time comes first */
		if (found == IR_NONE || strcasecmp(vc->column->name, "year") == 0 ||
		    strcasecmp(vc->column->name, "date") == 0)
			found = i;
	}
	return found;
}

uint32_t view_metric_table(const struct view *v, uint32_t metric)
{
	const char *text = v->g->semantic->metrics[metric].expression, *first = NULL;
	uint32_t found = IR_NONE;

	for (uint32_t t = 0; t < v->n_tables; t++) {
		const char *names[] = {v->tables[t].table->name,
		    v->tables[t].dataset ? v->tables[t].dataset->name : v->tables[t].table->name};

		for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
			const char *at = strstr(text, names[k]);

			if (!at || at[strlen(names[k])] != '.' || (first && at >= first))
				continue;
			first = at;
			found = t;
		}
	}
	return found;
}

static bool is_one_to_one(const struct view *v, const struct catalog_relation *rel)
{
	const struct catalog_table *t = v->tables[rel->from_table].table;
	const struct catalog_column *c = &t->columns[rel->from_columns[0]];

	return rel->n_columns == 1 &&
	    (c->is_unique || (c->n_distinct >= 0 && c->n_distinct == t->n_rows));
}

/* Is each row one of the parent's, so that its name is the row's name, too? A
 * candidate is a person; an order is no customer. */
static bool stands_for(const struct view *v, const struct catalog_relation *rel)
{
	const struct catalog_table *t = v->tables[rel->from_table].table;
	const struct catalog_column *c = &t->columns[rel->from_columns[0]];

	if (rel->n_columns != 1)
		return false;
	return t->n_pk != 1 || c->pk_position > 0 || is_one_to_one(v, rel);
}

uint32_t view_namer(const struct view *v, uint32_t table)
{
	uint32_t found = table;
	bool one_to_one = false; /* a professor is an employee, but of a department */

	if (v->tables[table].is_named)
		return table;
	for (size_t r = 0; r < v->c->n_relations; r++) {
		const struct catalog_relation *rel = &v->c->relations[r];

		if (rel->from_table != table || rel->to_table == table ||
		    !v->tables[rel->to_table].is_named || !stands_for(v, rel))
			continue;
		if (found != table && found != rel->to_table && one_to_one == is_one_to_one(v, rel))
			return table; /* two candidates: none */
		if (found != table && one_to_one)
			continue;
		one_to_one = is_one_to_one(v, rel);
		found = rel->to_table;
	}
	return found;
}
