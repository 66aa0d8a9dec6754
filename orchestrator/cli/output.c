/* See output.h. */
#include "orchestrator/cli/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/utf8.h"
#include "orchestrator/cli/interrupt.h"
#include "orchestrator/cli/jsonout.h"

#define EXIT_INTERRUPTED 130
#define LINE_WIDTH 100

int output_check(const struct output *o, struct err *e)
{
	if (o->json + o->csv + o->markdown <= 1)
		return 0;
	err_set(e, ERR_USAGE, PHASE_REQUEST, "give only one of --json, --csv and --markdown");
	return ERR_USAGE;
}

const struct colours *output_colours(const struct output *o, int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (o->no_color || (no && *no) || (term && strcmp(term, "dumb") == 0) || !isatty(fd))
		return &colours_none;
	return &colours_ansi;
}

int output_write(const struct strbuf *b, int code)
{
	bool ok = !b->failed && fwrite(b->data, 1, b->len, stdout) == b->len && fflush(stdout) == 0;

	if (!ok)
		fprintf(stderr, "nlq: the output could not be written\n");
	return ok ? code : 1;
}

int output_error(const struct output *o, const struct err *e)
{
	struct answer a = {.outcome = "failed", .has_error = true, .err = *e};
	int code = interrupt_happened() ? EXIT_INTERRUPTED : err_code_exit(e->code);
	struct strbuf b;

	strbuf_init(&b, OUTPUT_MAX);
	if (o->json) {
		jsonout_answer(&b, &a);
		code = output_write(&b, code);
	} else {
		human_error(&b, e, output_colours(o, 2));
		fwrite(b.data, 1, b.len, stderr);
	}
	strbuf_done(&b);
	return code;
}

void progress_init(struct progress *p, const struct output *o)
{
	p->is_terminal = isatty(2);
	p->is_on = !o->no_progress && (o->progress || p->is_terminal);
	p->has_line = false;
}

void progress_step(void *progress, const char *step, const char *text)
{
	struct progress *p = progress;
	struct strbuf b;
	size_t cut;

	/* The end is told by the answer itself. */
	if (!p->is_on || strcmp(step, "answer") == 0 || strcmp(step, "fail") == 0 ||
	    strcmp(step, "decline") == 0 || strcmp(step, "clarify") == 0)
		return;
	strbuf_init(&b, 8192);
	strbuf_printf(&b, "%s: ", step);
	utf8_escape(&b, text, strlen(text));
	cut = b.len;
	while (p->is_terminal && cut > 0 && utf8_width(b.data, cut) > LINE_WIDTH)
		cut = utf8_cut(b.data, b.len, cut - 1);
	if (p->is_terminal)
		fprintf(stderr, "\r\033[K%.*s", (int)cut, b.data);
	else
		fprintf(stderr, "%.*s\n", (int)cut, b.data);
	fflush(stderr);
	p->has_line = p->is_terminal;
	strbuf_done(&b);
}

void progress_done(struct progress *p)
{
	if (p->has_line)
		fprintf(stderr, "\r\033[K");
	p->has_line = false;
}
