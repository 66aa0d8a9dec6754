/* nlq trace list | show | verify: through the orchestrator where one runs, else
 * from the user's own state folder. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/json.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/jsonout.h"
#include "orchestrator/cli/link.h"
#include "orchestrator/cli/options.h"
#include "orchestrator/cli/output.h"
#include "orchestrator/cli/paths.h"
#include "orchestrator/cli/pb_client.h"
#include "orchestrator/cli/pb_read.h"
#include "orchestrator/cli/table.h"
#include "orchestrator/trace_read.h"

static const char usage[] =
    "Usage: nlq trace list [OPTIONS]\n"
    "       nlq trace show [OPTIONS] ID      (the first digits will do)\n"
    "       nlq trace verify [OPTIONS]\n"
    "Shows what was asked, every message that it took, and whether the record is whole.\n"
    "\n"
    "Examples:\n"
    "  nlq trace list --limit 5\n"
    "  nlq trace show 3fa81c\n"
    "  nlq trace verify --state-dir ~/.local/state/nlq\n";

enum { ACTION_LIST, ACTION_SHOW, ACTION_VERIFY };
static const char *const actions[] = {"list", "show", "verify"};

struct args {
	struct link_options link;
	struct output output;
	const char *state_dir;
	uint32_t limit;
};

static const char *when(struct arena *a, int64_t at_us)
{
	time_t t = (time_t)(at_us / 1000000);
	struct tm tm;
	char text[32];

	localtime_r(&t, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	return arena_strdup(a, text);
}

static void list_json(struct strbuf *out, const struct trace_line *lines, size_t n)
{
	struct json j;

	json_init(&j, out, false);
	json_array(&j);
	for (size_t i = 0; i < n; i++) {
		json_object(&j);
		json_key(&j, "request_id");
		json_string(&j, lines[i].id);
		json_key(&j, "at_us");
		json_int(&j, lines[i].at_us);
		json_key(&j, "question");
		json_string(&j, lines[i].question);
		json_key(&j, "source");
		json_string(&j, lines[i].source);
		json_key(&j, "outcome");
		json_string(&j, lines[i].outcome);
		json_key(&j, "error_class");
		json_string(&j, *lines[i].error_class ? lines[i].error_class : NULL);
		json_key(&j, "ms");
		json_double(&j, lines[i].ms);
		json_object_end(&j);
	}
	json_array_end(&j);
	strbuf_putc(out, '\n');
}

static void list_table(
    struct strbuf *out, const struct trace_line *lines, size_t n, struct arena *a)
{
	static const bool right[] = {false, false, false, true, false, false};
	const char *const head[] = {"request", "at", "outcome", "ms", "source", "question"};
	const size_t k = ARRAY_SIZE(head);
	const char **cells = arena_new_array(a, (n + 1) * k, const char *);

	memcpy(cells, head, sizeof(head));
	for (size_t i = 0; i < n; i++) {
		const char **c = cells + (i + 1) * k;

		c[0] = arena_printf(a, "%.12s", lines[i].id);
		c[1] = when(a, lines[i].at_us);
		c[2] = *lines[i].error_class && strcmp(lines[i].outcome, "failed") == 0
		    ? arena_printf(a, "failed (%s)", lines[i].error_class)
		    : lines[i].outcome;
		c[3] = arena_printf(a, "%.1f", lines[i].ms);
		c[4] = lines[i].source;
		c[5] = lines[i].question;
	}
	table_text(out, cells, n + 1, k, right);
}

static int do_list(const struct args *args, struct rpc_client *client, const char *dir,
    struct arena *a, struct strbuf *out, struct err *e)
{
	struct trace_line *lines = NULL;
	size_t n = 0;
	int rc = client_trace_list(client, dir, a, args->limit, &lines, &n, e);

	if (rc)
		return rc;
	if (args->output.json)
		list_json(out, lines, n);
	else if (n)
		list_table(out, lines, n, a);
	else
		strbuf_puts(out, "Nothing was asked yet.\n");
	return 0;
}

static void show_json(struct strbuf *out, const struct trace_line *line,
    const struct trace_span_line *spans, size_t n, const struct answer *answer)
{
	struct json j;

	json_init(&j, out, false);
	json_object(&j);
	json_key(&j, "request_id");
	json_string(&j, line->id);
	json_key(&j, "at_us");
	json_int(&j, line->at_us);
	json_key(&j, "question");
	json_string(&j, line->question);
	json_key(&j, "outcome");
	json_string(&j, line->outcome);
	json_key(&j, "ms");
	json_double(&j, line->ms);
	json_key(&j, "sql");
	json_string(&j, answer ? answer->sql : NULL);
	json_key(&j, "answer");
	json_string(&j, answer ? answer->answer : NULL);
	json_key(&j, "spans");
	json_array(&j);
	for (size_t i = 0; i < n; i++) {
		json_object(&j);
		json_key(&j, "seq");
		json_uint(&j, spans[i].seq);
		json_key(&j, "component");
		json_string(&j, spans[i].component);
		json_key(&j, "operation");
		json_string(&j, spans[i].operation);
		json_key(&j, "status");
		json_string(&j, spans[i].status);
		json_key(&j, "detail");
		json_string(&j, *spans[i].detail ? spans[i].detail : NULL);
		json_key(&j, "instance");
		json_string(&j, *spans[i].instance ? spans[i].instance : NULL);
		json_key(&j, "start_ms");
		json_double(&j, spans[i].start_ms);
		json_key(&j, "ms");
		json_double(&j, spans[i].ms);
		json_key(&j, "request_hash");
		json_string(&j, spans[i].request_hash);
		json_key(&j, "reply_hash");
		json_string(&j, spans[i].reply_hash);
		json_key(&j, "chain_hash");
		json_string(&j, spans[i].chain_hash);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	strbuf_putc(out, '\n');
}

static void show_spans(struct strbuf *out, const struct trace_line *line,
    const struct trace_span_line *spans, size_t n, struct arena *a)
{
	static const bool right[] = {true, false, false, false, true, true, false};
	const char *const head[] = {
	    "seq", "component", "operation", "status", "start ms", "ms", "hash"};
	const size_t k = ARRAY_SIZE(head);
	const char **cells = arena_new_array(a, (n + 1) * k, const char *);

	strbuf_printf(
	    out, "request %s\n%s  %s\n\n", line->id, when(a, line->at_us), line->question);
	memcpy(cells, head, sizeof(head));
	for (size_t i = 0; i < n; i++) {
		const char **c = cells + (i + 1) * k;

		c[0] = arena_printf(a, "%u", spans[i].seq);
		c[1] = spans[i].component;
		c[2] = spans[i].operation;
		c[3] = spans[i].status;
		c[4] = arena_printf(a, "%.2f", spans[i].start_ms);
		c[5] = arena_printf(a, "%.2f", spans[i].ms);
		c[6] = arena_printf(a, "%.12s", spans[i].chain_hash);
	}
	table_text(out, cells, n + 1, k, right);
}

static int do_show(const struct args *args, struct rpc_client *client, const char *dir,
    const char *id, struct arena *a, struct strbuf *out, struct err *e)
{
	struct trace_line line;
	struct trace_span_line *spans = NULL;
	struct answer answer = {0};
	bool has_answer = false;
	size_t n = 0;
	int rc = client_trace_show(client, dir, a, id, &line, &spans, &n, &answer, &has_answer, e);

	if (rc)
		return rc;
	if (args->output.json) {
		show_json(out, &line, spans, n, has_answer ? &answer : NULL);
	} else {
		show_spans(out, &line, spans, n, a);
		strbuf_putc(out, '\n');
		if (has_answer)
			human_answer(out, &answer, output_colours(&args->output, 1));
	}
	pb_answer_done(&answer);
	return 0;
}

/* Every folder is checked on its own; the first that is broken decides. */
static int do_verify(const char *dir, struct arena *a, struct strbuf *out, struct err *e)
{
	const char **dirs;
	size_t n = trace_dirs(a, dir, &dirs);

	for (size_t i = 0; i < n; i++) {
		struct trace_check_result r;
		int rc = trace_verify(dirs[i], &r, e);

		if (rc)
			return rc;
		if (!r.is_sound) {
			err_set(e, ERR_INTERNAL, PHASE_TRACE, "%s/%s: %s (number %lld)", dirs[i],
			    r.broken_file, r.why, (long long)r.broken_seq);
			err_fix(e, "the record cannot be trusted from there on");
			return ERR_INTERNAL;
		}
		strbuf_printf(out,
		    "%s: %llu files, %llu events, %llu payloads: the chain is whole\n", dirs[i],
		    (unsigned long long)r.files, (unsigned long long)r.events,
		    (unsigned long long)r.payloads);
	}
	return 0;
}

static int run(const struct args *args, int action, const char *id)
{
	char own[1024] = "";
	const char *dir = args->state_dir;
	struct arena arena = ARENA_INIT;
	struct link l = {0};
	struct err e = ERR_INIT, ignored = ERR_INIT;
	struct strbuf b;
	int code, rc = 0;

	arena_init(&arena);
	strbuf_init(&b, OUTPUT_MAX);
	/* A folder that is named is read; so is the own one when nobody is there. */
	if (!dir && action != ACTION_VERIFY)
		rc = link_open(&l, &args->link, &ignored);
	if (rc && args->link.run_dir)
		e = ignored;
	else
		rc = 0;
	if (!rc && !dir && !l.client) {
		rc = paths_state_dir(own, sizeof(own), &e);
		dir = own;
	}
	if (!rc)
		rc = action == ACTION_LIST  ? do_list(args, l.client, dir, &arena, &b, &e)
		    : action == ACTION_SHOW ? do_show(args, l.client, dir, id, &arena, &b, &e)
		                            : do_verify(dir, &arena, &b, &e);
	link_close(&l);
	code = rc ? output_error(&args->output, &e) : output_write(&b, 0);
	strbuf_done(&b);
	arena_done(&arena);
	return code;
}

int cmd_trace(int argc, char **argv)
{
	struct args args = {0};
	const struct option_row rows[] = {
	    {"json", 0, OPTION_FLAG, &args.output.json, NULL, "JSON"},
	    {"limit", 'n', OPTION_UINT, &args.limit, "N", "list so many (20)"},
	    {"state-dir", 0, OPTION_STRING, &args.state_dir, "DIR", "read this folder"},
	    {"run-dir", 0, OPTION_STRING, &args.link.run_dir, "DIR",
	        "folder of the server's sockets"},
	    {"no-color", 0, OPTION_FLAG, &args.output.no_color, NULL,
	        "no colour (also NO_COLOR=1)"},
	};
	const char *words[OPTIONS_ARGS_MAX];
	struct err e = ERR_INIT;
	size_t n = 0;
	bool help;
	int action = -1,
	    rc = options_parse(argc, argv, rows, ARRAY_SIZE(rows), words, &n, &help, &e);

	if (!rc && help) {
		fputs(usage, stdout);
		options_help(rows, ARRAY_SIZE(rows));
		return 0;
	}
	if (!rc && !n) {
		rc = err_set(&e, ERR_USAGE, PHASE_REQUEST, "trace needs list, show or verify");
		err_fix(&e, "nlq trace list");
	}
	if (!rc && (action = cli_pick(words[0], actions, ARRAY_SIZE(actions), &e)) < 0)
		rc = ERR_USAGE;
	if (!rc && n != (action == ACTION_SHOW ? 2u : 1u))
		rc = err_set(&e, ERR_USAGE, PHASE_REQUEST,
		    action == ACTION_SHOW ? "trace show needs one request id"
		                          : "trace %s takes no argument",
		    actions[action]);
	return rc ? output_error(&args.output, &e) : run(&args, action, n > 1 ? words[1] : NULL);
}
