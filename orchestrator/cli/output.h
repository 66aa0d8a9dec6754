/* How a command speaks: format, colour, progress. */
#ifndef NLQ_CLI_OUTPUT_H
#define NLQ_CLI_OUTPUT_H

#include "common/base/err.h"
#include "common/base/strbuf.h"
#include "orchestrator/cli/human.h"

struct output {
	bool json, csv, markdown;
	bool no_color, progress, no_progress;
};

#define OUTPUT_FORMAT_ROWS(o)                                                                  \
	{"json", 0, OPTION_FLAG, &(o).json, NULL, "one JSON object"},                          \
	    {"csv", 0, OPTION_FLAG, &(o).csv, NULL,                                            \
	        "only the rows, as CSV; text that looks like a formula gets a ' in front"},    \
	    {"markdown", 0, OPTION_FLAG, &(o).markdown, NULL,                                  \
	        "only the rows, as a Markdown table"},                                         \
	{                                                                                      \
		"no-color", 0, OPTION_FLAG, &(o).no_color, NULL, "no colour (also NO_COLOR=1)" \
	}

#define OUTPUT_MAX (256u * 1024 * 1024)

int output_check(const struct output *o, struct err *e); /* at most one format */
/* Colours of stdout (1) or stderr (2). */
const struct colours *output_colours(const struct output *o, int fd);
/* Writes all of it; the exit code 1 if that fails, else code. */
int output_write(const struct strbuf *b, int code);
/* The error on stderr, or as JSON on stdout; returns its exit code (130 when
 * the user interrupted). */
int output_error(const struct output *o, const struct err *e);

/* Progress on stderr: one line that is overwritten on a terminal. */
struct progress {
	bool is_on, is_terminal, has_line;
};
void progress_init(struct progress *p, const struct output *o);
void progress_step(void *progress, const char *step, const char *text);
void progress_done(struct progress *p);

#endif
