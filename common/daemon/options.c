#include "common/daemon/options.h"

#include <stdio.h>
#include <string.h>

#include "common/base/log.h"

#define N_COMMON 3

static const char *const level_names[] = {"error", "warn", "info", "debug", NULL};

struct command_line {
	const char *file;
	bool check_only;
};

int options_log_level(const struct options *o)
{
	enum log_level level = LOG_LEVEL_INFO;

	log_level_parse(level_names[o->log_level], &level);
	return (int)level;
}

void options_print_error(const struct daemon_spec *spec, const struct err *e)
{
	fprintf(stderr, "nlq-%s: %s\n", spec->name, e->text);
	if (e->fix[0])
		fprintf(stderr, "nlq-%s: fix: %s\n", spec->name, e->fix);
}

static void print_help(const struct daemon_spec *spec, const struct conf_row *rows, size_t n)
{
	printf("nlq-%s: %s\n\n"
	       "Usage: nlq-%s [-c FILE] [-t] [--KEY=VALUE ...]\n\n"
	       "  -c FILE        read settings from FILE (YAML)\n"
	       "  -t             check the settings and exit\n"
	       "  -h, --help     print this text\n"
	       "  --version      print the version\n\n"
	       "Settings, in the file or as --KEY=VALUE (the command line wins), with defaults:\n",
	    spec->name, spec->help, spec->name);
	conf_help(rows, n);
}

static int usage_error(const struct daemon_spec *spec, const char *word, const char *what)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_USAGE, PHASE_CONFIG, "%s: %.100s", what, word);
	err_fix(&e, "nlq-%s --help lists the options", spec->name);
	options_print_error(spec, &e);
	return OPTIONS_EXIT_USAGE;
}

/* The options with one dash and those without a value. Settings are only looked
 * at later, when the file has been read. */
static int read_words(int argc, char **argv, const struct daemon_spec *spec,
    const struct conf_row *rows, size_t n, struct command_line *ret)
{
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];

		if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
			print_help(spec, rows, n);
			return OPTIONS_EXIT_OK;
		}
		if (strcmp(word, "--version") == 0) {
			printf("nlq-%s %s\n", spec->name, NLQ_VERSION);
			return OPTIONS_EXIT_OK;
		}
		if (strcmp(word, "-t") == 0) {
			ret->check_only = true;
		} else if (strcmp(word, "-c") == 0) {
			if (ret->file)
				return usage_error(spec, word, "option given twice");
			if (i + 1 == argc)
				return usage_error(spec, word, "option needs a file");
			ret->file = argv[++i];
		} else if (strncmp(word, "--", 2) != 0 || !word[2]) {
			return usage_error(spec, word, "not an option");
		}
	}
	return OPTIONS_RUN;
}

static int read_settings(int argc, char **argv, struct arena *a, const struct conf_row *rows,
    size_t n, const char *file, struct err *e)
{
	int rc = conf_load(a, rows, n, file, e);

	for (int i = 1; i < argc && !rc; i++) {
		if (strcmp(argv[i], "-c") == 0)
			i++;
		else if (strncmp(argv[i], "--", 2) == 0)
			rc = conf_set(a, rows, n, argv[i] + 2, e);
	}
	return rc;
}

enum options_next options_read(int argc, char **argv, const struct daemon_spec *spec,
    struct arena *a, struct options *ret_options)
{
	struct options *o = ret_options;
	struct command_line line = {0};
	struct err e = ERR_INIT;
	size_t n = spec->n_rows + N_COMMON;
	struct conf_row *rows = arena_new_array(a, n, struct conf_row);
	const struct conf_row common[N_COMMON] = {
	    {"log.level", CONF_ENUM, &o->log_level, 0, 0, level_names, "what is logged to stderr"},
	    {"drain_ms", CONF_MS, &o->drain_ms, 0, 600000, NULL,
	        "longest wait for work in hand after SIGTERM"},
	    {"die_with_parent", CONF_BOOL, &o->die_with_parent, 0, 0, NULL,
	        "end when the process that started this one ends (private stacks)"},
	};
	int next;

	*o = (struct options){.log_level = 2, .drain_ms = 10000};
	if (spec->n_rows)
		memcpy(rows, spec->rows, spec->n_rows * sizeof(*rows));
	memcpy(rows + spec->n_rows, common, sizeof(common));

	next = read_words(argc, argv, spec, rows, n, &line);
	if (next != OPTIONS_RUN)
		return next;
	o->check_only = line.check_only;
	if (read_settings(argc, argv, a, rows, n, line.file, &e)) {
		options_print_error(spec, &e);
		return OPTIONS_EXIT_USAGE;
	}
	return OPTIONS_RUN;
}
