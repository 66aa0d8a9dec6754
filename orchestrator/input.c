/* See input.h. */
#include "orchestrator/input.h"

#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"

/* What reorders the text around it: a question could look unlike what is asked. */
static bool is_bidi_control(uint32_t cp)
{
	return (cp >= 0x202a && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069);
}

static int check_text(const char *what, const char *s, size_t len, size_t max, struct err *e)
{
	bool is_blank = true;

	if (len > max) {
		err_set(e, ERR_TOO_LARGE, PHASE_REQUEST,
		    "the %s has %zu bytes; at most %zu are allowed", what, len, max);
		err_fix(e, "shorten it");
		return ERR_TOO_LARGE;
	}
	if (!utf8_valid(s, len)) {
		err_set(e, ERR_BAD_INPUT, PHASE_REQUEST, "the %s is not valid UTF-8", what);
		err_fix(e, "check the encoding of the terminal or the file");
		return ERR_BAD_INPUT;
	}
	for (size_t i = 0, n; i < len; i += n) {
		uint32_t cp;

		n = utf8_next(s + i, len - i, &cp);
		if (cp == '\t' || cp == '\n' || cp == '\r' || cp == ' ' || cp == 0x3000 ||
		    cp == 0xa0)
			continue;
		if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || is_bidi_control(cp)) {
			err_set(e, ERR_BAD_INPUT, PHASE_REQUEST,
			    "the %s holds the control character U+%04X at byte %zu", what, cp, i);
			err_fix(e, "remove it");
			return ERR_BAD_INPUT;
		}
		is_blank = false;
	}
	if (is_blank) {
		err_set(e, ERR_BAD_INPUT, PHASE_REQUEST, "the %s is empty", what);
		err_fix(e, "nlq --help shows examples");
		return ERR_BAD_INPUT;
	}
	return 0;
}

int input_check_question(const char *s, size_t len, struct err *e)
{
	return check_text("question", s, len, INPUT_QUESTION_MAX, e);
}

int input_check_sql(const char *s, size_t len, struct err *e)
{
	return check_text("SQL", s, len, INPUT_SQL_MAX, e);
}

int input_check_date(const char *s, struct err *e)
{
	static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	unsigned y = 0, m = 0, d = 0;
	bool ok = strlen(s) == 10 && strspn(s, "0123456789-") == 10 && s[4] == '-' && s[7] == '-' &&
	    sscanf(s, "%4u-%2u-%2u", &y, &m, &d) == 3 && m >= 1 && m <= 12 && d >= 1;

	if (ok) {
		bool is_leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;

		ok = d <= days[m - 1] + (m == 2 && is_leap ? 1u : 0u);
	}
	if (ok)
		return 0;
	err_set(e, ERR_BAD_INPUT, PHASE_REQUEST, "the date is not one of the calendar");
	err_fix(e, "write it as 2026-02-28");
	return ERR_BAD_INPUT;
}
