/*
 * Units of quantities and columns: an optional magnitude word (亿, million, k)
 * times a base unit (元, barrel, %). Bases that mean the same have one canonical
 * spelling (yuan, RMB, CNY, 人民币 -> 元).
 */
#ifndef NLQ_TEXT_UNIT_H
#define NLQ_TEXT_UNIT_H

#include "common/base/arena.h"

struct unit {
	const char *base;  /* canonical; "" = only a magnitude; static or in the arena */
	int32_t magnitude; /* power of ten of the magnitude words */
	uint32_t len;      /* bytes read */
};

/* The longest unit at the start of the text (after blanks), as it follows a
 * number. Only known bases are read. False if there is none. */
bool unit_parse(const char *text, size_t len, struct unit *ret_unit);
/* A whole unit text, as a semantic model states it ("亿元", "million barrels",
 * "USD"); an unknown base is kept as written (in the arena). */
void unit_parse_all(struct arena *a, const char *text, struct unit *ret_unit);
/* True if a number in unit `from` can be written in unit `to`; then
 * to-number = from-number * 10^*ret_power. An empty base on one side counts as
 * the other's base. */
bool unit_power(const struct unit *from, const struct unit *to, int32_t *ret_power);

#endif
