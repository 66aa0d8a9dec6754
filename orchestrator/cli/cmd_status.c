/* nlq status */
#include <stdio.h>
#include <string.h>

#include "common/base/json.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/link.h"
#include "orchestrator/cli/options.h"
#include "orchestrator/cli/output.h"
#include "orchestrator/cli/pb_client.h"
#include "orchestrator/cli/table.h"

static const char usage[] =
    "Usage: nlq status [OPTIONS]\n"
    "Shows the daemons that are connected, what they hold, and the databases.\n"
    "\n"
    "Example:\n"
    "  nlq status --json\n";

static void put_json(struct strbuf *out, const struct status *s)
{
	struct json j;

	json_init(&j, out, false);
	json_object(&j);
	json_key(&j, "pid");
	json_uint(&j, s->pid);
	json_key(&j, "version");
	json_string(&j, s->version);
	json_key(&j, "uptime_ms");
	json_uint(&j, s->uptime_ms);
	json_key(&j, "private");
	json_bool(&j, s->is_private);
	json_key(&j, "running");
	json_uint(&j, s->running);
	json_key(&j, "waiting");
	json_uint(&j, s->waiting);
	json_key(&j, "jobs_done");
	json_uint(&j, s->jobs_done);
	json_key(&j, "jobs_retried");
	json_uint(&j, s->jobs_retried);
	json_key(&j, "heals");
	json_uint(&j, s->heals);
	json_key(&j, "components");
	json_array(&j);
	for (size_t i = 0; i < s->n_components; i++) {
		const struct status_component *c = &s->components[i];

		json_object(&j);
		json_key(&j, "role");
		json_string(&j, c->role);
		json_key(&j, "pid");
		json_uint(&j, c->pid);
		json_key(&j, "version");
		json_string(&j, c->version);
		json_key(&j, "slots");
		json_uint(&j, c->slots);
		json_key(&j, "busy");
		json_uint(&j, c->busy);
		json_key(&j, "rss_kb");
		json_uint(&j, c->rss_kb);
		json_key(&j, "draining");
		json_bool(&j, c->is_draining);
		json_key(&j, "sandbox");
		json_string(&j, *c->sandbox ? c->sandbox : NULL);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_key(&j, "sources");
	json_array(&j);
	for (size_t i = 0; i < s->n_sources; i++) {
		const struct status_source *src = &s->sources[i];

		json_object(&j);
		json_key(&j, "name");
		json_string(&j, src->name);
		json_key(&j, "path");
		json_string(&j, *src->path ? src->path : NULL);
		json_key(&j, "tables");
		if (src->tables >= 0)
			json_int(&j, src->tables);
		else
			json_null(&j);
		json_key(&j, "problems");
		json_array(&j);
		for (size_t k = 0; k < src->problems.n; k++)
			json_string(&j, src->problems.items[k]);
		json_array_end(&j);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	strbuf_putc(out, '\n');
}

static void put_components(struct strbuf *out, const struct status *s, struct arena *a)
{
	static const bool right[] = {false, true, true, true, true, false};
	const size_t n = ARRAY_SIZE(right);
	const char **cells = arena_new_array(a, (s->n_components + 1) * n, const char *);
	const char *const head[] = {"component", "pid", "slots", "busy", "memory KiB", "state"};

	memcpy(cells, head, sizeof(head));
	for (size_t i = 0; i < s->n_components; i++) {
		const struct status_component *c = &s->components[i];
		const char **row = cells + (i + 1) * n;

		row[0] = c->role;
		row[1] = arena_printf(a, "%u", c->pid);
		row[2] = arena_printf(a, "%u", c->slots);
		row[3] = arena_printf(a, "%u", c->busy);
		row[4] = arena_printf(a, "%llu", (unsigned long long)c->rss_kb);
		row[5] = c->is_draining ? "draining" : "up";
	}
	table_text(out, cells, s->n_components + 1, n, right);
	for (size_t i = 0; i < s->n_components; i++) {
		if (*s->components[i].sandbox)
			strbuf_printf(out, "sandbox (%u): %s\n", s->components[i].pid,
			    s->components[i].sandbox);
	}
}

static void put_human(struct strbuf *out, const struct status *s, struct arena *a)
{
	strbuf_printf(out,
	    "orchestrator %s, pid %u, up %.1f s%s; %u running, %u waiting;"
	    " %llu jobs done, %llu retried\n\n",
	    s->version, s->pid, (double)s->uptime_ms / 1000, s->is_private ? ", private" : "",
	    s->running, s->waiting, (unsigned long long)s->jobs_done,
	    (unsigned long long)s->jobs_retried);
	put_components(out, s, a);
	strbuf_puts(out, s->n_sources ? "\nDatabases\n" : "\nNo database is set up.\n");
	for (size_t i = 0; i < s->n_sources; i++) {
		const struct status_source *src = &s->sources[i];

		strbuf_printf(out, "  %s%s%s", src->name, *src->path ? "  " : "", src->path);
		if (src->tables >= 0)
			strbuf_printf(out, "  %d tables\n", src->tables);
		else
			strbuf_puts(out, "  not read yet\n");
		for (size_t k = 0; k < src->problems.n; k++)
			strbuf_printf(out, "    not used: %s\n", src->problems.items[k]);
	}
}

int cmd_status(int argc, char **argv)
{
	struct link_options link = {0};
	struct output output = {0};
	const struct option_row rows[] = {
	    {"json", 0, OPTION_FLAG, &output.json, NULL, "one JSON object"},
	    {"run-dir", 0, OPTION_STRING, &link.run_dir, "DIR", "folder of the server's sockets"},
	};
	const char *words[OPTIONS_ARGS_MAX];
	struct arena arena = ARENA_INIT;
	struct status status;
	struct link l = {0};
	struct err e = ERR_INIT;
	struct strbuf b;
	size_t n = 0;
	bool help;
	int code, rc = options_parse(argc, argv, rows, ARRAY_SIZE(rows), words, &n, &help, &e);

	if (!rc && help) {
		fputs(usage, stdout);
		options_help(rows, ARRAY_SIZE(rows));
		return 0;
	}
	if (!rc && n)
		rc = err_set(&e, ERR_USAGE, PHASE_REQUEST, "status takes no argument");
	arena_init(&arena);
	if (!rc)
		rc = link_open(&l, &link, &e);
	if (!rc)
		rc = client_status(l.client, &arena, &status, &e);
	if (rc) {
		code = output_error(&output, &e);
	} else {
		strbuf_init(&b, OUTPUT_MAX);
		if (output.json)
			put_json(&b, &status);
		else
			put_human(&b, &status, &arena);
		code = output_write(&b, 0);
		strbuf_done(&b);
	}
	link_close(&l);
	arena_done(&arena);
	return code;
}
