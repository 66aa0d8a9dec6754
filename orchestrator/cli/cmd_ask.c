/* nlq ask */
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
#include "orchestrator/cli/pb_read.h"
#include "orchestrator/cli/table.h"
#include "orchestrator/input.h"

#define EXIT_INTERRUPTED 130

static const char usage[] =
    "Usage: nlq ask [OPTIONS] QUESTION\n"
    "Asks a question in plain language (\"-\": from stdin) and shows the answer, the\n"
    "rows, the SQL and the evidence.\n"
    "\n"
    "Examples:\n"
    "  nlq ask --db shop.sqlite \"How many orders were there in 2023?\"\n"
    "  nlq ask --db shop.sqlite --semantic shop/semantic --json \"Top 3 customers by revenue\"\n"
    "  nlq ask \"2023年哪家公司的净利润最高？\"        (with nlq up running)\n"
    "\n"
    "Exit codes: 0 answered, 1 failure, 2 usage, 3 declined, 4 clarification needed,\n"
    "5 refused by policy, 6 something is unavailable, 7 timeout, 130 interrupted.\n";

struct args {
	struct link_options link;
	struct output output;
	const char *tables, *today;
	uint32_t timeout_ms, max_rows;
	float floor;
};

/* Names separated by commas, into the arena. */
static struct semantic_names split_names(struct arena *a, const char *list)
{
	struct semantic_names names = {NULL, 0};

	while (list && *list) {
		size_t len = strcspn(list, ",");

		if (len)
			*arena_push(a, names.items, names.n) = arena_strndup(a, list, len);
		list += len + (list[len] == ',');
	}
	return names;
}

/* What people are told when there are no rows for stdout. */
static void tell(const struct args *args, const struct answer *a)
{
	struct strbuf why;

	strbuf_init(&why, OUTPUT_MAX);
	human_answer(&why, a, output_colours(&args->output, 2));
	fwrite(why.data, 1, why.len, stderr);
	strbuf_done(&why);
}

static int show(const struct args *args, const struct answer *a)
{
	bool is_rows_only = args->output.csv || args->output.markdown;
	struct strbuf b;
	int code = answer_exit_code(a);

	strbuf_init(&b, OUTPUT_MAX);
	if (args->output.json)
		jsonout_answer(&b, a);
	else if (strcmp(a->outcome, "failed") == 0 || (is_rows_only && !a->result))
		tell(args, a);
	else if (args->output.csv)
		csv_print(&b, a->result);
	else if (args->output.markdown)
		markdown_print(&b, a->result);
	else
		human_answer(&b, a, output_colours(&args->output, 1));
	code = output_write(&b, interrupt_happened() ? EXIT_INTERRUPTED : code);
	strbuf_done(&b);
	return code;
}

static int ask(const struct args *args, const char *question, struct arena *arena)
{
	struct link l;
	struct progress progress;
	struct answer answer = {0};
	struct err e = ERR_INIT;
	uint8_t key[16];
	struct ask_options o = {.question = question,
	    .today = args->today,
	    .key = key,
	    .tables = split_names(arena, args->tables),
	    .floor = args->floor,
	    .max_rows = args->max_rows,
	    .timeout_ms = args->timeout_ms};
	int code, rc;

	random_bytes(key, sizeof(key));
	progress_init(&progress, &args->output);
	progress_step(&progress, "start", "connecting");
	rc = link_open(&l, &args->link, &e);
	if (!rc) {
		o.source = *l.source ? l.source : NULL;
		if (progress.is_on) {
			o.progress = progress_step;
			o.arg = &progress;
		}
		interrupt_target(l.url, key);
		rc = client_ask(l.client, l.url, &o, arena, &answer, &e);
		interrupt_target(NULL, NULL);
	}
	progress_done(&progress);
	link_close(&l);
	code = rc ? output_error(&args->output, &e) : show(args, &answer);
	pb_answer_done(&answer);
	return code;
}

int cmd_ask(int argc, char **argv)
{
	struct args args = {.floor = -1};
	const struct option_row rows[] = {
	    LINK_OPTION_ROWS(args.link),
	    OUTPUT_FORMAT_ROWS(args.output),
	    {"tables", 0, OPTION_STRING, &args.tables, "A,B", "use only these tables"},
	    {"timeout", 0, OPTION_SECONDS, &args.timeout_ms, "TIME",
	        "give up after this (30s, 2m)"},
	    {"rows", 0, OPTION_UINT, &args.max_rows, "N", "show at most so many rows"},
	    {"today", 0, OPTION_STRING, &args.today, "DATE",
	        "the day that \"last year\" counts from"},
	    {"floor", 0, OPTION_FRACTION, &args.floor, "X",
	        "decline below this confidence (0 to 1)"},
	    {"progress", 0, OPTION_FLAG, &args.output.progress, NULL,
	        "show the steps on stderr even if it is no terminal"},
	    {"no-progress", 0, OPTION_FLAG, &args.output.no_progress, NULL, "never show the steps"},
	};
	const char *words[OPTIONS_ARGS_MAX];
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	char *question = NULL;
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
	if (!rc && !n) {
		rc = err_set(&e, ERR_USAGE, PHASE_REQUEST, "there is no question");
		err_fix(&e, "nlq ask --db FILE \"How many singers are there?\"");
	}
	if (!rc)
		rc = cli_text("question", words, n, INPUT_QUESTION_MAX, &question, &e);
	if (!rc)
		rc = input_check_question(question, strlen(question), &e);
	if (!rc && args.today)
		rc = input_check_date(args.today, &e);
	arena_init(&arena);
	code = rc ? output_error(&args.output, &e) : ask(&args, question, &arena);
	arena_done(&arena);
	free(question);
	return code;
}
