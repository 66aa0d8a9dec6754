/* nlq sql run */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/interrupt.h"
#include "orchestrator/cli/jsonout.h"
#include "orchestrator/cli/link.h"
#include "orchestrator/cli/options.h"
#include "orchestrator/cli/output.h"
#include "orchestrator/cli/pb_client.h"
#include "orchestrator/cli/table.h"
#include "orchestrator/input.h"

static const char usage[] =
    "Usage: nlq sql run [OPTIONS] SQL\n"
    "Runs one SELECT (\"-\": from stdin) behind the same walls as any question: parsed,\n"
    "resolved, printed afresh, read-only, with limits.\n"
    "\n"
    "Examples:\n"
    "  nlq sql run --db shop.sqlite \"SELECT count(*) FROM orders\"\n"
    "  nlq sql run --db shop.sqlite --csv - < report.sql > report.csv\n";

struct args {
	struct link_options link;
	struct output output;
	uint32_t max_rows, timeout_ms;
};

static int show(const struct args *args, const char *id, const struct resultset *r)
{
	struct strbuf b;
	int code;

	strbuf_init(&b, OUTPUT_MAX);
	if (args->output.json)
		jsonout_result(&b, id, r, NULL);
	else if (args->output.csv)
		csv_print(&b, r);
	else if (args->output.markdown)
		markdown_print(&b, r);
	else
		human_result(&b, r, output_colours(&args->output, 1));
	code = output_write(&b, 0);
	strbuf_done(&b);
	return code;
}

static int run(const struct args *args, const char *sql)
{
	struct link l;
	struct resultset *result = NULL;
	struct err e = ERR_INIT;
	uint8_t key[16];
	char id[33] = "";
	int code, rc = link_open(&l, &args->link, &e);

	random_bytes(key, sizeof(key));
	if (!rc) {
		interrupt_target(l.url, key);
		rc = client_sql_run(l.client, sql, *l.source ? l.source : NULL, key, args->max_rows,
		    args->timeout_ms, id, &result, &e);
		interrupt_target(NULL, NULL);
	}
	link_close(&l);
	code = rc ? output_error(&args->output, &e) : show(args, id, result);
	resultset_free(result);
	return code;
}

int cmd_sql(int argc, char **argv)
{
	static const char *const actions[] = {"run"};
	struct args args = {0};
	const struct option_row rows[] = {
	    LINK_OPTION_ROWS(args.link),
	    OUTPUT_FORMAT_ROWS(args.output),
	    {"rows", 0, OPTION_UINT, &args.max_rows, "N", "show at most so many rows"},
	    {"timeout", 0, OPTION_SECONDS, &args.timeout_ms, "TIME", "stop the query after this"},
	};
	const char *words[OPTIONS_ARGS_MAX];
	struct err e = ERR_INIT;
	char *sql = NULL;
	size_t n = 0;
	bool help;
	int code, rc = options_parse(argc, argv, rows, ARRAY_SIZE(rows), words, &n, &help, &e);

	if (!rc && help) {
		fputs(usage, stdout);
		options_help(rows, ARRAY_SIZE(rows));
		return 0;
	}
	if (!rc)
		rc = output_check(&args.output, &e);
	if (!rc && n < 2) {
		rc = err_set(&e, ERR_USAGE, PHASE_REQUEST, "there is no SQL to run");
		err_fix(&e, "nlq sql run --db FILE \"SELECT ...\"");
	}
	if (!rc && cli_pick(words[0], actions, ARRAY_SIZE(actions), &e) < 0)
		rc = ERR_USAGE;
	if (!rc)
		rc = cli_text("SQL", words + 1, n - 1, INPUT_SQL_MAX, &sql, &e);
	if (!rc)
		rc = input_check_sql(sql, strlen(sql), &e);
	code = rc ? output_error(&args.output, &e) : run(&args, sql);
	free(sql);
	return code;
}
