/* nlq schema list | show | search */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/link.h"
#include "orchestrator/cli/options.h"
#include "orchestrator/cli/output.h"
#include "orchestrator/cli/pb_client.h"
#include "orchestrator/cli/table.h"
#include "orchestrator/input.h"

static const char usage[] = "Usage: nlq schema list [OPTIONS]\n"
                            "       nlq schema show [OPTIONS] TABLE\n"
                            "       nlq schema search [OPTIONS] WORDS\n"
                            "Shows what a database holds.\n"
                            "\n"
                            "Examples:\n"
                            "  nlq schema list --db shop.sqlite\n"
                            "  nlq schema show --db shop.sqlite orders\n"
                            "  nlq schema search --db shop.sqlite net profit\n";

enum { ACTION_LIST, ACTION_SHOW, ACTION_SEARCH };
static const char *const actions[] = {"list", "show", "search"};

static void put_json(struct strbuf *out, const struct schema_row *rows, size_t n, int action)
{
	struct json j;

	json_init(&j, out, false);
	json_array(&j);
	for (size_t i = 0; i < n; i++) {
		json_object(&j);
		json_key(&j, "table");
		json_string(&j, rows[i].table);
		json_key(&j, "column");
		json_string(&j, *rows[i].column ? rows[i].column : NULL);
		json_key(&j, "type");
		json_string(&j, *rows[i].type ? rows[i].type : NULL);
		json_key(&j, action == ACTION_SHOW ? "distinct" : "rows");
		if (rows[i].n_rows >= 0)
			json_int(&j, rows[i].n_rows);
		else
			json_null(&j);
		json_key(&j, "label");
		json_string(&j, *rows[i].label ? rows[i].label : NULL);
		json_key(&j, "unit");
		json_string(&j, *rows[i].unit ? rows[i].unit : NULL);
		json_key(&j, "note");
		json_string(&j, *rows[i].note ? rows[i].note : NULL);
		if (action == ACTION_SEARCH) {
			json_key(&j, "score");
			json_double(&j, (double)rows[i].score);
		}
		json_object_end(&j);
	}
	json_array_end(&j);
	strbuf_putc(out, '\n');
}

static void put_table(
    struct strbuf *out, const struct schema_row *rows, size_t n, int action, struct arena *a)
{
	static const char *const heads[][6] = {
	    {"table", "type", "rows", "label", "note", NULL},
	    {"column", "type", "distinct", "label", "unit", "note"},
	    {"table", "column", "score", "why", NULL, NULL},
	};
	static const bool right[] = {false, false, true, false, false, false};
	size_t n_columns = action == ACTION_LIST ? 5 : action == ACTION_SHOW ? 6 : 4;
	const char **cells = arena_new_array(a, (n + 1) * n_columns, const char *);

	for (size_t k = 0; k < n_columns; k++)
		cells[k] = heads[action][k];
	for (size_t i = 0; i < n; i++) {
		const struct schema_row *r = &rows[i];
		const char **c = cells + (i + 1) * n_columns;
		const char *count = r->n_rows < 0 ? ""
		                                  : arena_printf(a, "%lld", (long long)r->n_rows);

		if (action == ACTION_LIST) {
			const char *const row[] = {r->table, r->type, count, r->label, r->note};

			memcpy(c, row, sizeof(row));
		} else if (action == ACTION_SHOW) {
			const char *const row[] = {
			    r->column, r->type, count, r->label, r->unit, r->note};

			memcpy(c, row, sizeof(row));
		} else {
			const char *const row[] = {r->table, r->column,
			    arena_printf(a, "%.2f", (double)r->score), r->note};

			memcpy(c, row, sizeof(row));
		}
	}
	table_text(out, cells, n + 1, n_columns, right);
}

static int run(
    const struct link_options *link, const struct output *output, int action, const char *name)
{
	struct arena arena = ARENA_INIT;
	struct schema_row *rows = NULL;
	struct link l;
	struct err e = ERR_INIT;
	struct strbuf b;
	size_t n = 0;
	int code, rc = link_open(&l, link, &e);

	arena_init(&arena);
	if (!rc)
		rc = client_schema(l.client, &arena, actions[action], *l.source ? l.source : NULL,
		    name, &rows, &n, &e);
	link_close(&l);
	if (rc) {
		code = output_error(output, &e);
	} else {
		strbuf_init(&b, OUTPUT_MAX);
		if (output->json)
			put_json(&b, rows, n, action);
		else
			put_table(&b, rows, n, action, &arena);
		code = output_write(&b, 0);
		strbuf_done(&b);
	}
	arena_done(&arena);
	return code;
}

int cmd_schema(int argc, char **argv)
{
	struct link_options link = {0};
	struct output output = {0};
	const struct option_row rows[] = {
	    LINK_OPTION_ROWS(link),
	    {"json", 0, OPTION_FLAG, &output.json, NULL, "one JSON array"},
	};
	const char *words[OPTIONS_ARGS_MAX];
	struct err e = ERR_INIT;
	char *name = NULL;
	size_t n = 0;
	bool help;
	int action = -1, code,
	    rc = options_parse(argc, argv, rows, ARRAY_SIZE(rows), words, &n, &help, &e);

	if (!rc && help) {
		fputs(usage, stdout);
		options_help(rows, ARRAY_SIZE(rows));
		return 0;
	}
	if (!rc && !n) {
		rc = err_set(&e, ERR_USAGE, PHASE_REQUEST, "schema needs list, show or search");
		err_fix(&e, "nlq schema list --db FILE");
	}
	if (!rc && (action = cli_pick(words[0], actions, ARRAY_SIZE(actions), &e)) < 0)
		rc = ERR_USAGE;
	if (!rc && (action == ACTION_LIST) != (n == 1)) {
		rc = err_set(&e, ERR_USAGE, PHASE_REQUEST,
		    action == ACTION_LIST ? "schema list takes no argument"
		                          : "schema %s needs a name",
		    actions[action]);
		err_fix(&e, "nlq schema --help shows examples");
	}
	if (!rc && n > 1)
		rc = cli_text("name", words + 1, n - 1, INPUT_QUESTION_MAX, &name, &e);
	if (!rc && name)
		rc = input_check_question(name, strlen(name), &e);
	code = rc ? output_error(&output, &e) : run(&link, &output, action, name);
	free(name);
	return code;
}
