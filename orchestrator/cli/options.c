/* See options.h. */
#include "orchestrator/cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/sql/sql.h"

static int set_seconds(const char *s, uint32_t *ret_ms)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(s, &end);
	if (end == s || errno || !isfinite(v) || v <= 0)
		return -1;
	if (strcmp(end, "ms") == 0)
		v /= 1000;
	else if (strcmp(end, "m") == 0)
		v *= 60;
	else if (*end && strcmp(end, "s") != 0)
		return -1;
	if (v > 86400)
		return -1;
	*ret_ms = v < 0.001 ? 1 : (uint32_t)(v * 1000 + 0.5);
	return 0;
}

static int set_value(const struct option_row *row, const char *s, struct err *e)
{
	char *end;
	unsigned long u;
	double v;

	switch (row->type) {
	case OPTION_STRING: *(const char **)row->target = s; return 0;
	case OPTION_UINT:
		errno = 0;
		u = strtoul(s, &end, 10);
		if (*s < '0' || *s > '9' || *end || errno || u == 0 || u > UINT32_MAX)
			break;
		*(uint32_t *)row->target = (uint32_t)u;
		return 0;
	case OPTION_SECONDS:
		if (set_seconds(s, row->target))
			break;
		return 0;
	case OPTION_FRACTION:
		v = strtod(s, &end);
		if (end == s || *end || !(v >= 0 && v <= 1))
			break;
		*(float *)row->target = (float)v;
		return 0;
	default: break;
	}
	err_set(e, ERR_USAGE, PHASE_REQUEST, "\"%s\" is no value for --%s", s, row->name);
	err_fix(e, "give %s",
	    row->type == OPTION_FRACTION      ? "a number from 0 to 1"
	        : row->type == OPTION_SECONDS ? "a time such as 5s, 200ms or 2m"
	                                      : "a whole number from 1");
	return ERR_USAGE;
}

static int unknown(const char *word, const struct option_row *rows, size_t n, struct err *e)
{
	const char *names[64], *near[1];
	size_t len = strcspn(word + 2, "=");
	char name[64];

	err_set(e, ERR_USAGE, PHASE_REQUEST, "unknown option %.60s", word);
	err_fix(e, "--help lists the options; put -- before words that start with -");
	if (word[1] != '-' || len >= sizeof(name))
		return ERR_USAGE;
	snprintf(name, sizeof(name), "%.*s", (int)len, word + 2);
	for (size_t i = 0; i < n && i < ARRAY_SIZE(names); i++)
		names[i] = rows[i].name;
	if (sql_nearest(name, names, n < ARRAY_SIZE(names) ? n : ARRAY_SIZE(names), near, 1) == 1)
		err_fix(e, "did you mean --%s?", near[0]);
	return ERR_USAGE;
}

static const struct option_row *find(
    const char *word, const struct option_row *rows, size_t n, const char **ret_value)
{
	*ret_value = NULL;
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(rows[i].name);

		if (word[1] != '-') {
			if (rows[i].letter && word[1] == rows[i].letter) {
				*ret_value = word[2] ? word + 2 : NULL;
				return &rows[i];
			}
			continue;
		}
		if (strncmp(word + 2, rows[i].name, len) != 0)
			continue;
		if (word[2 + len] == '=')
			*ret_value = word + 2 + len + 1;
		else if (word[2 + len])
			continue;
		return &rows[i];
	}
	return NULL;
}

int options_parse(int argc, char **argv, const struct option_row *rows, size_t n, const char **args,
    size_t *ret_n_args, bool *ret_help, struct err *e)
{
	bool is_over = false;
	size_t n_args = 0;

	*ret_help = false;
	for (int i = 0; i < argc; i++) {
		const char *word = argv[i], *value;
		const struct option_row *row;
		int rc;

		if (is_over || word[0] != '-' || !word[1]) {
			if (n_args == OPTIONS_ARGS_MAX)
				return err_set(e, ERR_USAGE, PHASE_REQUEST, "too many arguments");
			args[n_args++] = word;
			continue;
		}
		if (strcmp(word, "--") == 0) {
			is_over = true;
			continue;
		}
		if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
			*ret_help = true;
			continue;
		}
		row = find(word, rows, n, &value);
		if (!row)
			return unknown(word, rows, n, e);
		if (row->type == OPTION_FLAG) {
			if (value)
				return err_set(
				    e, ERR_USAGE, PHASE_REQUEST, "--%s takes no value", row->name);
			*(bool *)row->target = true;
			continue;
		}
		if (!value && i + 1 < argc)
			value = argv[++i];
		if (!value)
			return err_set(
			    e, ERR_USAGE, PHASE_REQUEST, "--%s needs a value", row->name);
		rc = set_value(row, value, e);
		if (rc)
			return rc;
	}
	*ret_n_args = n_args;
	return 0;
}

void options_help(const struct option_row *rows, size_t n)
{
	printf("\nOptions:\n");
	for (size_t i = 0; i < n; i++) {
		char left[64];

		snprintf(left, sizeof(left), "%s%c%s--%s%s%s", rows[i].letter ? "-" : "  ",
		    rows[i].letter ? rows[i].letter : ' ', rows[i].letter ? ", " : " ",
		    rows[i].name, rows[i].value ? " " : "", rows[i].value ? rows[i].value : "");
		printf("  %-26s %s\n", left, rows[i].help);
	}
	printf("  %-26s %s\n", "-h, --help", "this text");
}
