/*
 * The smallest pieces of period.c: one calendar unit or relative window at a
 * cursor, and the readers of words and numbers around it. Shared by period.c and
 * period_atom.c only.
 */
#ifndef NLQ_TEXT_PERIOD_ATOM_H
#define NLQ_TEXT_PERIOD_ATOM_H

#include "common/model/grounding.h"
#include "common/text/calendar.h"

struct period_cursor {
	const char *s;
	size_t at, len;
	struct date today;
};

struct period_atom {
	struct date from, to; /* half-open */
	enum period_grain grain;
	bool relative, bare;
};

/* Eats a text; English words (several with single spaces) at word boundaries and
 * in any case, leading blanks skipped. Nothing is eaten if it is not there. */
bool period_atom_eat(struct period_cursor *c, const char *word);
bool period_atom_eat_any(struct period_cursor *c, const char *const *words, size_t n);
#define EAT_ANY(c, ...)                                              \
	period_atom_eat_any((c), (const char *const[]){__VA_ARGS__}, \
	    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* A whole number of at most four digits or a Chinese numeral; ordinals count. */
bool period_atom_int(struct period_cursor *c, int *ret_value);
/* One calendar unit or relative window. */
bool period_atom_read(struct period_cursor *c, struct period_atom *a);
/* A part of the given year: 第一季度, Q3, 上半年, 3月, 3月15日. */
bool period_atom_part(struct period_cursor *c, int year, struct period_atom *a);

#endif
