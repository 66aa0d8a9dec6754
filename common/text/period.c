/*
 * A hand-written reader over the bytes of the question. What stands around atoms
 * (since, between .. and .., 至, 之前) makes them ranges.
 */
#include "common/text/period.h"

#include <string.h>

#include "common/text/period_atom.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* B of "A to B" where B repeats only its own part: 2021-2023, 2021至2023年,
 * 2023年1月至3月. */
static bool eat_second(
    struct period_cursor *c, const struct period_atom *first, struct period_atom *a)
{
	struct period_cursor t = *c;

	if (period_atom_read(&t, a)) {
		*c = t;
		return true;
	}
	return first->grain == GRAIN_MONTH && period_atom_part(c, first->from.year, a);
}

static bool eat_joiner(struct period_cursor *c, bool between)
{
	if (between && EAT_ANY(c, "and", "和", "与"))
		return true;
	return EAT_ANY(
	    c, "to", "through", "until", "till", "up to", "至", "到", "-", "~", "–", "—", "～");
}

static void finish(const struct period_cursor *c, size_t at, const struct period_atom *a, bool from,
    bool to, struct period_found *r)
{
	memset(r, 0, sizeof(*r));
	r->period.start = (uint32_t)at;
	r->period.len = (uint32_t)(c->at - at);
	r->period.grain = a->grain;
	r->period.relative = a->relative;
	r->bare = a->bare;
	if (from)
		date_print(a->from, r->period.from);
	if (to)
		date_print(a->to, r->period.to);
}

/* A range of two atoms; "between" decides whether "and" joins. */
static bool eat_range(struct period_cursor *c, struct period_atom *a)
{
	struct period_cursor t = *c;
	struct period_atom b;
	bool between = EAT_ANY(&t, "between", "from", "介于", "从", "自", "在");

	if (!period_atom_read(&t, a) || !eat_joiner(&t, between) || !eat_second(&t, a, &b) ||
	    date_compare(a->from, b.from) > 0)
		return false;
	EAT_ANY(&t, "年之间", "之间", "期间", "年间", "年");
	a->to = b.to;
	a->bare = false;
	a->relative = a->relative || b.relative;
	*c = t;
	return true;
}

/* Prefix words that leave one side open. */
enum side { SIDE_NONE, SIDE_FROM, SIDE_AFTER, SIDE_BEFORE, SIDE_UNTIL };

static enum side eat_prefix(struct period_cursor *c)
{
	if (EAT_ANY(c, "since", "starting from", "starting in", "from", "on or after",
	        "in or after", "no earlier than", "not earlier than", "beginning in", "自从", "自",
	        "从"))
		return SIDE_FROM;
	if (EAT_ANY(c, "after", "later than"))
		return SIDE_AFTER;
	if (EAT_ANY(c, "before", "prior to", "earlier than"))
		return SIDE_BEFORE;
	if (EAT_ANY(c, "until", "till", "up to", "through", "no later than", "not later than",
	        "in or before", "on or before", "by the end of", "as of", "by", "截至", "截止到",
	        "截止"))
		return SIDE_UNTIL;
	return SIDE_NONE;
}

static enum side eat_suffix(struct period_cursor *c)
{
	struct period_cursor t;
	int n;

	if (EAT_ANY(c, "or later", "or after", "and later", "and after", "onwards", "onward",
	        "and onwards", "or newer", "以来", "及以后", "及之后", "或之后", "或以后", "至今",
	        "起"))
		return SIDE_FROM;
	if (EAT_ANY(c, "or before", "or earlier", "and before", "and earlier", "or older", "及以前",
	        "及之前", "或之前", "或以前", "为止"))
		return SIDE_UNTIL;
	if (EAT_ANY(c, "以后", "之后"))
		return SIDE_AFTER;
	if (EAT_ANY(c, "以前", "之前"))
		return SIDE_BEFORE;
	/* 2023年前三名, 2023年后两位: not before and after, but top and bottom. */
	t = *c;
	if (EAT_ANY(&t, "后", "前") && !period_atom_int(&t, &n))
		return EAT_ANY(c, "后") ? SIDE_AFTER : (period_atom_eat(c, "前"), SIDE_BEFORE);
	return SIDE_NONE;
}

/* "from 2023" alone is no open range: only with a suffix, or said as since. */
static bool is_plain_from(const struct period_cursor *c, size_t at)
{
	struct period_cursor t = *c;

	t.at = at;
	return EAT_ANY(&t, "from", "自", "从");
}

static bool eat_open(struct period_cursor *c, size_t at, struct period_found *r)
{
	struct period_cursor t = *c, next;
	enum side prefix = eat_prefix(&t), suffix;
	struct period_atom a, other;

	if (!period_atom_read(&t, &a))
		return false;
	/* "before 1948 or after 1949" are two. */
	next = t;
	suffix = eat_suffix(&next);
	if (suffix != SIDE_NONE &&
	    period_atom_read(
	        &(struct period_cursor){next.s, next.at, next.len, next.today}, &other))
		suffix = SIDE_NONE;
	if (suffix != SIDE_NONE)
		t = next;
	if (suffix != SIDE_NONE)
		prefix = suffix;
	else if (prefix == SIDE_FROM && is_plain_from(c, at))
		return false;
	if (prefix == SIDE_NONE)
		return false;
	*c = t;
	a.bare = false;
	if (prefix == SIDE_AFTER)
		a.from = a.to;
	if (prefix == SIDE_BEFORE)
		a.to = a.from;
	finish(c, at, &a, prefix == SIDE_FROM || prefix == SIDE_AFTER,
	    prefix == SIDE_BEFORE || prefix == SIDE_UNTIL, r);
	return true;
}

bool period_parse(const char *text, size_t at, const char *today, struct period_found *ret_found)
{
	struct period_cursor c = {text, at, strlen(text), {0, 0, 0}};
	struct period_atom a;

	if (at >= c.len || text[at] == ' ' || !date_read(today, &c.today))
		return false;
	if (at && is_digit(text[at]) &&
	    (is_digit(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == '$'))
		return false;
	if (eat_range(&c, &a)) {
		finish(&c, at, &a, true, true, ret_found);
		return true;
	}
	c.at = at;
	if (eat_open(&c, at, ret_found))
		return true;
	c.at = at;
	if (!period_atom_read(&c, &a))
		return false;
	finish(&c, at, &a, true, true, ret_found);
	return true;
}
