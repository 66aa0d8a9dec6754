#include "common/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"

struct code_row {
	enum err_code code;
	const char *name;
	const char *class;
	int exit;
};

static const struct code_row codes[] = {
#define X(sym, num, name, class, exit) {sym, name, class, exit},
    ERR_CODES(X)
#undef X
};

static const char *const phases[] = {
#define X(sym, num, name) [num] = name,
    ERR_PHASES(X)
#undef X
};

/* Formats into out (ERR_TEXT_MAX bytes): one line of valid UTF-8. The text is
 * made in a buffer of its own, since an argument may be the old text of the same
 * error. */
static void format_line(char *out, const char *fmt, va_list ap)
{
	char raw[2 * ERR_TEXT_MAX];
	size_t len, n = 0;

	if (vsnprintf(raw, sizeof(raw), fmt, ap) < 0)
		raw[0] = '\0';
	len = strlen(raw);
	for (size_t i = 0; i < len;) {
		uint32_t cp;
		char enc[4];
		size_t step = utf8_next(raw + i, len - i, &cp), enc_len;

		if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x2028 || cp == 0x2029)
			cp = ' ';
		enc_len = utf8_encode(cp, enc);
		if (n + enc_len >= ERR_TEXT_MAX)
			break;
		memcpy(out + n, enc, enc_len);
		n += enc_len;
		i += step;
	}
	out[n] = '\0';
}

int err_set(struct err *e, enum err_code code, enum err_phase phase, const char *fmt, ...)
{
	struct err fresh = {.code = code, .phase = phase};
	va_list ap;

	if (!e)
		return code;
	va_start(ap, fmt);
	format_line(fresh.text, fmt, ap);
	va_end(ap);
	*e = fresh;
	return code;
}

void err_fix(struct err *e, const char *fmt, ...)
{
	char fix[ERR_TEXT_MAX];
	va_list ap;

	if (!e)
		return;
	va_start(ap, fmt);
	format_line(fix, fmt, ap);
	va_end(ap);
	memcpy(e->fix, fix, sizeof(fix));
}

static const struct code_row *find_code(int code)
{
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if ((int)codes[i].code == code)
			return &codes[i];
	return NULL;
}

const char *err_code_name(enum err_code code)
{
	const struct code_row *row = find_code(code);

	return row ? row->name : "internal";
}

const char *err_code_class(enum err_code code)
{
	const struct code_row *row = find_code(code);

	return row ? row->class : "infrastructure";
}

int err_code_exit(enum err_code code)
{
	const struct code_row *row = find_code(code);

	return row ? row->exit : 1;
}

const char *err_phase_name(enum err_phase phase)
{
	return err_phase_known((int)phase) ? phases[phase] : "none";
}

bool err_code_known(int code)
{
	return find_code(code) != NULL;
}

bool err_phase_known(int phase)
{
	return phase >= 0 && (size_t)phase < ARRAY_SIZE(phases) && phases[phase];
}
