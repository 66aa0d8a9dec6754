/*
 * gold_check DB GOLD_SQL [ordered] < ANSWER.json
 * Holds the answer of `nlq ask --json` against the gold query's rows; prints
 * "equal", "superset", "wrong" or the outcome if nothing was answered. Every
 * query of the request counts, not only the last. Exit 0 if equal or superset.
 */
#include <cjson/cJSON.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/strbuf.h"
#include "tests/lib/bag.h"

static void read_json_cell(struct arena *a, const cJSON *x, struct value *v)
{
	if (cJSON_IsNumber(x)) {
		v->type = VALUE_REAL;
		v->r = x->valuedouble;
	} else if (cJSON_IsString(x)) {
		v->type = VALUE_TEXT;
		v->text = arena_strdup(a, x->valuestring);
		v->len = strlen(x->valuestring);
	} else {
		v->type = VALUE_NULL;
	}
}

static void read_rows(struct arena *a, const cJSON *rows, size_t n_columns, struct bag *b)
{
	size_t n_cells = 0;
	const cJSON *row, *cell;
	memset(b, 0, sizeof(*b));
	b->n_columns = n_columns;
	cJSON_ArrayForEach(row, rows)
	{
		cJSON_ArrayForEach(cell, row)
		    read_json_cell(a, cell, arena_push(a, b->cells, n_cells));
		b->n_rows++;
	}
}

static enum bag_verdict check_rows(
    struct arena *a, const cJSON *holder, const struct bag *gold, bool ordered)
{
	const cJSON *rows = cJSON_GetObjectItemCaseSensitive(holder, "rows");
	struct bag ours;
	const cJSON *columns = cJSON_GetObjectItemCaseSensitive(holder, "columns");
	if (!cJSON_IsArray(rows) || !cJSON_IsArray(columns))
		return BAG_WRONG;
	read_rows(a, rows, (size_t)cJSON_GetArraySize(columns), &ours);
	return bag_compare(gold, &ours, ordered);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: gold_check DB GOLD_SQL [ordered] < ANSWER.json\n");
		return 2;
	}
	bool ordered = argc > 3 && strcmp(argv[3], "ordered") == 0;
	struct arena a = ARENA_INIT;
	struct strbuf in;
	strbuf_init(&in, 16 * 1024 * 1024);
	char chunk[4096];
	for (size_t n; (n = fread(chunk, 1, sizeof(chunk), stdin)) > 0;)
		strbuf_add(&in, chunk, n);

	sqlite3 *db = NULL;
	struct bag gold;
	const char *message = "cannot open";
	cJSON *answer = cJSON_Parse(in.data);
	int rc = 1;
	if (sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
	    bag_run(&a, db, argv[2], 100000, &gold, &message) != 0) {
		printf("gold failed: %s\n", message);
	} else {
		const cJSON *outcome = cJSON_GetObjectItemCaseSensitive(answer, "outcome");
		const char *name = cJSON_IsString(outcome) ? outcome->valuestring : "no answer";
		enum bag_verdict best = BAG_WRONG;
		if (strcmp(name, "answered") == 0) {
			best = check_rows(&a, answer, &gold, ordered);
			const cJSON *step;
			cJSON_ArrayForEach(step, cJSON_GetObjectItemCaseSensitive(answer, "steps"))
			{
				enum bag_verdict v = check_rows(&a, step, &gold, ordered);
				best = v > best ? v : best;
			}
			static const char *const names[] = {"wrong", "superset", "equal"};
			name = names[best];
		}
		puts(name);
		rc = best == BAG_WRONG;
	}
	cJSON_Delete(answer);
	sqlite3_close(db);
	strbuf_done(&in);
	arena_done(&a);
	return rc;
}
