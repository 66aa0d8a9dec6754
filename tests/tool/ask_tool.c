/*
 * The pipeline without daemons, for people who develop the composer:
 *   ask_tool ask DB [--semantic DIR] [--floor X] QUESTION
 *   ask_tool set FILE.jsonl (--databases DIR | --db FILE) [--semantic DIR]
 *            [--split SPLIT.json:KEY] [--db-id ID] [--field NAME] [--floor X] [--limit N]
 *            [--verify] [--wrong] [--tsv]
 * `set` compares the rows with those of gold_sql and prints totals; --wrong also
 * lists what was not right (never use it on data kept for measuring), --tsv one
 * line a question.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/text/cue.h"
#include "tests/lib/bag.h"
#include "tests/lib/pipeline.h"

#define MAX_DATABASES 400
#define MAX_RECORDS 20000
#define MAX_GOLD_ROWS 20000

struct options {
	const char *file, *db, *databases, *semantic, *split, *db_id, *field, *question;
	double floor;
	long limit;
	bool verify, wrong, tsv;
};

enum outcome { RIGHT, WRONG, DECLINED, FAILED, NO_GOLD };

struct record {
	double confidence;
	bool right;
};

struct totals {
	size_t n, answered, right, declined, failed, unanswerable_declined, unanswerable;
	struct record *records;
	struct {
		char name[24];
		size_t n, right;
	} classes[16];
	size_t n_classes;
};

/* --- one question ------------------------------------------------------------------ */

static void print_spans(const struct grounding *g)
{
	static const char *const kinds[] = {"UNKNOWN", "STOP", "TABLE", "COLUMN", "VALUE", "METRIC",
	    "QUANTITY", "PERIOD", "CUE", "QUOTED"};

	for (size_t i = 0; i < g->n_spans; i++) {
		const struct grounding_span *s = &g->spans[i];

		printf("  %s", kinds[s->kind]);
		if (s->kind == SPAN_CUE)
			printf(":%s", cue_kind_name((enum cue_kind)s->cue));
		if (s->cue_arg)
			printf(" %u", s->cue_arg);
		printf(" [%.*s]", (int)s->len, g->question + s->start);
		for (size_t t = 0; t < s->n_targets && t < 4; t++) {
			const struct span_target *x = &s->targets[t];
			struct strbuf b;

			if (x->table == TARGET_NONE)
				continue;
			printf(" %s%s%s %.2f", g->catalog->tables[x->table].name,
			    x->column == TARGET_NONE ? "" : ".",
			    x->column == TARGET_NONE
			        ? ""
			        : g->catalog->tables[x->table].columns[x->column].name,
			    (double)x->score);
			strbuf_init(&b, 200);
			value_print(&b, &x->value);
			if (x->value.type != VALUE_NULL)
				printf("='%s'", b.data);
			strbuf_done(&b);
		}
		putchar('\n');
	}
}

static void print_rows(const struct resultset *r)
{
	for (size_t row = 0; row < r->n_rows && row < 10; row++) {
		for (size_t i = 0; i < r->n_columns; i++) {
			struct strbuf b;

			strbuf_init(&b, 4096);
			value_print(&b, resultset_cell(r, row, i));
			printf("%s%s", i ? " | " : "  ", b.data);
			strbuf_done(&b);
		}
		putchar('\n');
	}
	printf("  (%zu rows)\n", r->n_rows);
}

static void print_answer(const struct pipeline_answer *a)
{
	for (size_t i = 0; i < a->n_steps; i++) {
		const struct compose_reply *s = a->steps[i];

		if (s->trace)
			printf("IR\n%s", s->trace);
		if (s->kind == COMPOSE_CANDIDATE)
			printf("SQL %.2f %s\n  %s\n", s->confidence, s->purpose, s->sql);
		else if (s->kind == COMPOSE_DECLINE)
			printf("DECLINE %.2f %s\n", s->confidence, s->reason);
		else
			printf("CLARIFY %s (%zu options)\n", s->question, s->options.n);
		if (a->results[i])
			print_rows(a->results[i]);
	}
	if (a->error.code)
		printf("ERROR %s\n", a->error.text);
	if (!a->verdict)
		return;
	printf("VERDICT %d %.2f %s\n", (int)a->verdict->kind, a->verdict->confidence,
	    a->verdict->answer);
	for (size_t i = 0; i < a->verdict->n_lines; i++)
		printf("  %-7s %s: %s\n", check_verdict_name(a->verdict->lines[i].verdict),
		    a->verdict->lines[i].check, a->verdict->lines[i].detail);
}

static int ask(const struct options *o)
{
	struct pipeline p;
	struct pipeline_answer a;
	struct err e = ERR_INIT;

	if (pipeline_open(o->db, o->semantic, &p, &e) < 0) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	if (pipeline_ask(&p, o->question, o->floor, o->verify, &a, &e) < 0)
		fprintf(stderr, "%s\n", e.text);
	if (a.grounding)
		print_spans(a.grounding);
	print_answer(&a);
	pipeline_answer_done(&a);
	pipeline_close(&p);
	return e.code ? 1 : 0;
}

/* --- a set ------------------------------------------------------------------------- */

struct databases {
	struct {
		char name[128];
		struct pipeline p;
	} * list;
	size_t n;
};

static struct pipeline *database(struct databases *d, const struct options *o, const char *name)
{
	char path[1024];
	struct err e = ERR_INIT;

	for (size_t i = 0; i < d->n; i++)
		if (strcmp(d->list[i].name, name) == 0)
			return &d->list[i].p;
	if (d->n == MAX_DATABASES)
		return NULL;
	if (o->db)
		snprintf(path, sizeof(path), "%s", o->db);
	else
		snprintf(path, sizeof(path), "%s/%s/%s.sqlite", o->databases, name, name);
	if (pipeline_open(path, o->semantic, &d->list[d->n].p, &e) < 0) {
		fprintf(stderr, "%s: %s\n", name, e.text);
		return NULL;
	}
	snprintf(d->list[d->n].name, sizeof(d->list[d->n].name), "%s", name);
	return &d->list[d->n++].p;
}

static bool same_as_gold(struct arena *a, sqlite3 *db, const char *gold,
    const struct resultset *ours, bool allow_more, bool *ret_ran)
{
	struct bag g, b = {ours->cells, ours->n_rows, ours->n_columns};
	const char *message;
	enum bag_verdict v;

	*ret_ran = bag_run(a, db, gold, MAX_GOLD_ROWS, &g, &message) == 0;
	if (!*ret_ran)
		return false;
	v = bag_compare(&g, &b, strcasestr(gold, "order by") != NULL);
	return v == BAG_EQUAL || (allow_more && v == BAG_SUPERSET);
}

static const char *text_of(const cJSON *o, const char *key)
{
	const cJSON *x = cJSON_GetObjectItemCaseSensitive(o, key);

	return cJSON_IsString(x) ? x->valuestring : NULL;
}

static enum outcome judge(
    struct pipeline *p, const struct options *o, const cJSON *q, struct pipeline_answer *a)
{
	const cJSON *gold = cJSON_GetObjectItemCaseSensitive(q, "gold_sql"), *one;
	const struct compose_reply *last;
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	bool right = false, ran = false;
	const char *question = text_of(q, o->field);

	if (!question || pipeline_ask(p, question, o->floor, o->verify, a, &e) < 0)
		return FAILED;
	last = pipeline_last(a);
	if (!last || last->kind != COMPOSE_CANDIDATE ||
	    (a->verdict && a->verdict->kind != VERDICT_ACCEPT))
		return DECLINED;
	if (a->error.code)
		return FAILED;
	if (cJSON_IsString(gold))
		right = same_as_gold(
		    &arena, p->db, gold->valuestring, a->results[a->n_steps - 1], false, &ran);
	if (!cJSON_IsArray(gold))
		gold = NULL;
	cJSON_ArrayForEach(one, gold) right |= same_as_gold(
	    &arena, p->db, one->valuestring, a->results[a->n_steps - 1], true, &ran);
	arena_done(&arena);
	return right ? RIGHT : ran || gold ? WRONG : NO_GOLD;
}

static void count(struct totals *t, const cJSON *q, enum outcome out, double confidence)
{
	const char *class = text_of(q, "hardness");
	const cJSON *gold = cJSON_GetObjectItemCaseSensitive(q, "gold_sql");
	size_t k = 0;

	if (out == NO_GOLD)
		return;
	if (cJSON_IsArray(gold) && cJSON_GetArraySize(gold) == 0) {
		t->unanswerable++;
		t->unanswerable_declined += out == DECLINED;
		return;
	}
	class = class ? class : text_of(q, "class");
	class = class ? class : "all";
	while (k < t->n_classes && strcmp(t->classes[k].name, class) != 0)
		k++;
	if (k == t->n_classes && k < 16)
		snprintf(t->classes[t->n_classes++].name, sizeof(t->classes[k].name), "%s", class);
	if (k < 16) {
		t->classes[k].n++;
		t->classes[k].right += out == RIGHT;
	}
	if (t->n < MAX_RECORDS)
		t->records[t->n] = (struct record){out == DECLINED ? -1 : confidence, out == RIGHT};
	t->n++;
	t->answered += out == RIGHT || out == WRONG;
	t->right += out == RIGHT;
	t->declined += out == DECLINED;
	t->failed += out == FAILED;
}

static int by_confidence(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return x->confidence < y->confidence ? 1 : x->confidence > y->confidence ? -1 : 0;
}

static double percent(size_t part, size_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_totals(struct totals *t)
{
	size_t n = t->n < MAX_RECORDS ? t->n : MAX_RECORDS, right = 0, next = 1;

	printf("questions %zu answered %zu right %zu declined %zu failed %zu\n", t->n, t->answered,
	    t->right, t->declined, t->failed);
	printf("execution match %.1f %%, precision %.1f %%, coverage %.1f %%\n",
	    percent(t->right, t->n), percent(t->right, t->answered), percent(t->answered, t->n));
	if (t->unanswerable)
		printf(
		    "unanswerable %zu, declined %zu\n", t->unanswerable, t->unanswerable_declined);
	for (size_t k = 0; k < t->n_classes; k++)
		printf("  %-12s %5zu  %.1f %%\n", t->classes[k].name, t->classes[k].n,
		    percent(t->classes[k].right, t->classes[k].n));
	qsort(t->records, n, sizeof(*t->records), by_confidence);
	printf("precision at coverage:");
	for (size_t i = 0; i < n; i++) {
		right += t->records[i].right;
		if ((i + 1) * 10 >= next * n) {
			printf(" %zu:%.1f(%.2f)", next * 10, percent(right, i + 1),
			    t->records[i].confidence);
			next++;
		}
	}
	putchar('\n');
}

static void print_wrong(const char *db, const struct options *o, const cJSON *q, enum outcome out,
    const struct pipeline_answer *a)
{
	static const char *const names[] = {"RIGHT", "WRONG", "DECLINED", "FAILED", "NO_GOLD"};
	const struct compose_reply *last = pipeline_last(a);
	char *gold = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(q, "gold_sql"));

	printf("%s %s: %s\n  gold %s\n", names[out], db, text_of(q, o->field), gold);
	for (size_t i = 0; i < a->n_steps; i++)
		if (a->steps[i]->sql)
			printf("  ours %.2f %s\n", a->steps[i]->confidence, a->steps[i]->sql);
	if (last && last->kind != COMPOSE_CANDIDATE)
		printf(
		    "  said %s\n", last->kind == COMPOSE_DECLINE ? last->reason : last->question);
	if (a->error.code)
		printf("  error %s\n", a->error.text);
	if (a->verdict)
		for (size_t i = 0; i < a->verdict->n_lines; i++)
			if (a->verdict->lines[i].verdict == CHECK_FAIL ||
			    a->verdict->lines[i].verdict == CHECK_UNKNOWN)
				printf("  check %s: %s\n", a->verdict->lines[i].check,
				    a->verdict->lines[i].detail);
	free(gold);
}

static cJSON *read_split(const struct options *o)
{
	char path[1024], *key;
	static char text[1 << 16];
	cJSON *all, *list;
	FILE *f;
	size_t n;

	if (!o->split)
		return NULL;
	snprintf(path, sizeof(path), "%s", o->split);
	key = strrchr(path, ':');
	if (!key)
		return NULL;
	*key++ = '\0';
	f = fopen(path, "r");
	if (!f)
		return NULL;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	all = cJSON_Parse(text);
	list = cJSON_DetachItemFromObjectCaseSensitive(all, key);
	cJSON_Delete(all);
	return list;
}

static bool is_wanted(const cJSON *split, const struct options *o, const char *db)
{
	const cJSON *x;

	if (o->db_id && strcmp(o->db_id, db) != 0)
		return false;
	if (!split)
		return true;
	cJSON_ArrayForEach(x, split) if (strcmp(x->valuestring, db) == 0) return true;
	return false;
}

static void one_line(
    struct databases *d, struct totals *t, const struct options *o, const cJSON *split, cJSON *q)
{
	const char *db = text_of(q, "db_id");
	struct pipeline_answer a;
	struct pipeline *p;
	enum outcome out;

	db = db ? db : "db";
	if (cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(q, "gold_ok")) ||
	    cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(q, "gold_ok")) ||
	    !is_wanted(split, o, db))
		return;
	p = database(d, o, db);
	if (!p)
		return;
	memset(&a, 0, sizeof(a));
	out = judge(p, o, q, &a);
	count(t, q, out, pipeline_last(&a) ? pipeline_last(&a)->confidence : 0);
	if (o->tsv) {
		const struct compose_reply *last = pipeline_last(&a);
		const char *score = last && last->trace ? strstr(last->trace, "score") : NULL;

		printf("%s\t%d\t%.2f\t%s\n", text_of(q, "id"), (int)out,
		    last ? last->confidence : 0,
		    score ? strtok(arena_strdup(&a.steps[0]->arena, score), "\n") : "");
	}
	if (o->wrong && out != RIGHT && out != NO_GOLD)
		print_wrong(db, o, q, out, &a);
	pipeline_answer_done(&a);
}

static int set(const struct options *o)
{
	struct databases d = {calloc(MAX_DATABASES, sizeof(*d.list)), 0};
	struct totals t = {.records = calloc(MAX_RECORDS, sizeof(*t.records))};
	cJSON *split = read_split(o);
	FILE *f = fopen(o->file, "r");
	char *line = NULL;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 0 && (!o->limit || (long)t.n < o->limit)) {
		cJSON *q = cJSON_Parse(line);

		if (q)
			one_line(&d, &t, o, split, q);
		cJSON_Delete(q);
	}
	if (f)
		fclose(f);
	print_totals(&t);
	for (size_t i = 0; i < d.n; i++)
		pipeline_close(&d.list[i].p);
	cJSON_Delete(split);
	free(line);
	free(d.list);
	free(t.records);
	return f ? 0 : 1;
}

static int usage(void)
{
	fputs("usage: ask_tool ask DB [options] QUESTION | ask_tool set FILE.jsonl [options]\n",
	    stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct options o = {.field = "question", .verify = false};
	bool is_set = argc > 2 && strcmp(argv[1], "set") == 0;
	struct {
		const char *name;
		const char **value;
	} texts[] = {{"--db", &o.db}, {"--databases", &o.databases}, {"--semantic", &o.semantic},
	    {"--split", &o.split}, {"--db-id", &o.db_id}, {"--field", &o.field}};

	if (argc < 3 || (!is_set && strcmp(argv[1], "ask") != 0))
		return usage();
	*(is_set ? &o.file : &o.db) = argv[2];
	for (int i = 3; i < argc; i++) {
		size_t k = 0;

		while (k < ARRAY_SIZE(texts) && strcmp(argv[i], texts[k].name) != 0)
			k++;
		if (k < ARRAY_SIZE(texts) && i + 1 < argc)
			*texts[k].value = argv[++i];
		else if (strcmp(argv[i], "--floor") == 0 && i + 1 < argc)
			o.floor = strtod(argv[++i], NULL);
		else if (strcmp(argv[i], "--limit") == 0 && i + 1 < argc)
			o.limit = strtol(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--verify") == 0)
			o.verify = true;
		else if (strcmp(argv[i], "--wrong") == 0)
			o.wrong = true;
		else if (strcmp(argv[i], "--tsv") == 0)
			o.tsv = true;
		else
			o.question = argv[i];
	}
	if (is_set)
		return o.databases || o.db ? set(&o) : usage();
	return o.question ? ask(&o) : usage();
}
