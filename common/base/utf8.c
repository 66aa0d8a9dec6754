#include "common/base/utf8.h"

#include <string.h>

#define REPLACEMENT 0xfffd

/* Length of the valid character at s, 0 if its bytes are broken or cut. The
 * second byte's range keeps overlong forms, surrogates and what is above
 * U+10FFFF out. */
static size_t decode(const char *s, size_t len, uint32_t *ret_cp)
{
	const uint8_t *b = (const uint8_t *)s;
	uint8_t low = 0x80, high = 0xbf;
	size_t n;
	uint32_t cp;

	if (b[0] < 0x80) {
		*ret_cp = b[0];
		return 1;
	}
	if (b[0] < 0xc2 || b[0] > 0xf4)
		return 0;
	n = b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : 4;
	if (len < n)
		return 0;
	switch (b[0]) {
	case 0xe0: low = 0xa0; break;
	case 0xed: high = 0x9f; break;
	case 0xf0: low = 0x90; break;
	case 0xf4: high = 0x8f; break;
	default: break;
	}
	if (b[1] < low || b[1] > high)
		return 0;
	cp = b[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((b[i] & 0xc0) != 0x80)
			return 0;
		cp = cp << 6 | (b[i] & 0x3fu);
	}
	*ret_cp = cp;
	return n;
}

bool utf8_valid(const char *s, size_t len)
{
	uint32_t cp;

	for (size_t i = 0, step; i < len; i += step) {
		step = decode(s + i, len - i, &cp);
		if (!step)
			return false;
	}
	return true;
}

size_t utf8_next(const char *s, size_t len, uint32_t *ret_cp)
{
	size_t step = decode(s, len, ret_cp);

	if (!step) {
		*ret_cp = REPLACEMENT;
		return 1;
	}
	return step;
}

size_t utf8_encode(uint32_t cp, char out[4])
{
	if (cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		cp = REPLACEMENT;
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

size_t utf8_cut(const char *s, size_t len, size_t max)
{
	size_t start;
	uint32_t cp;

	if (len <= max)
		return len;
	/* Go back to where the character at the cut begins, at most three bytes;
	 * bytes that form no character may be cut anywhere. */
	for (start = max; start > 0 && max - start < 3; start--)
		if (((uint8_t)s[start] & 0xc0) != 0x80)
			break;
	if (start < max && start + decode(s + start, len - start, &cp) > max)
		return start;
	return max;
}

bool utf8_cp_is_cjk(uint32_t cp)
{
	static const struct {
		uint32_t first, last;
	} blocks[] = {
	    {0x2e80, 0x2fdf},   /* radicals */
	    {0x3005, 0x3007},   /* iteration mark, closing mark, zero */
	    {0x3021, 0x3029},   /* Hangzhou numerals */
	    {0x3040, 0x30ff},   /* kana */
	    {0x3100, 0x312f},   /* bopomofo */
	    {0x3130, 0x318f},   /* Hangul compatibility jamo */
	    {0x31a0, 0x31ff},   /* bopomofo, strokes, kana extensions */
	    {0x3400, 0x4dbf},   /* extension A */
	    {0x4e00, 0x9fff},   /* unified ideographs */
	    {0xac00, 0xd7a3},   /* Hangul */
	    {0xf900, 0xfaff},   /* compatibility ideographs */
	    {0xff66, 0xff9f},   /* half-width kana */
	    {0x20000, 0x3ffff}, /* extensions B and up */
	};

	if (cp < blocks[0].first)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		if (cp >= blocks[i].first && cp <= blocks[i].last)
			return true;
	return false;
}

/* What a terminal acts on, or what changes the order or presence of text on the
 * screen without being seen. Joiners stay: scripts and emoji need them. */
static bool is_unsafe(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) ||      /* C0, DEL, C1 */
	    cp == 0x061c || cp == 0x200e || cp == 0x200f ||   /* bidi marks */
	    (cp >= 0x2028 && cp <= 0x202e) ||                 /* separators, bidi embedding */
	    (cp >= 0x2066 && cp <= 0x206f) ||                 /* bidi isolates, deprecated */
	    cp == 0xfeff || (cp >= 0xfff9 && cp <= 0xfffb) || /* BOM, interlinear */
	    (cp >= 0xe0000 && cp <= 0xe007f);                 /* tags */
}

void utf8_escape(struct strbuf *out, const char *s, size_t len)
{
	size_t plain = 0, i = 0;

	while (i < len) {
		uint32_t cp = 0;
		size_t step = decode(s + i, len - i, &cp);

		if (step && !is_unsafe(cp)) {
			i += step;
			continue;
		}
		strbuf_add(out, s + plain, i - plain);
		if (!step || cp < 0x80)
			strbuf_printf(out, "\\x%02X", (unsigned int)(uint8_t)s[i]);
		else
			strbuf_printf(out, "\\u{%04X}", (unsigned int)cp);
		i += step ? step : 1;
		plain = i;
	}
	strbuf_add(out, s + plain, len - plain);
}

/* Blocks where capital and small letters alternate: capitals are even (or odd). */
static uint32_t lower_pair(uint32_t cp, uint32_t parity)
{
	return (cp & 1) == parity ? cp + 1 : cp;
}

static uint32_t lower_latin_a(uint32_t cp)
{
	if (cp == 0x130)
		return 'i';
	if (cp == 0x131 || cp == 0x138 || cp == 0x149 || cp == 0x17f)
		return cp;
	if (cp == 0x178)
		return 0xff;
	return lower_pair(cp, (cp >= 0x139 && cp <= 0x148) || cp >= 0x179 ? 1 : 0);
}

static uint32_t lower_greek(uint32_t cp)
{
	switch (cp) {
	case 0x386: return 0x3ac;
	case 0x388:
	case 0x389:
	case 0x38a: return cp + 37;
	case 0x38c: return 0x3cc;
	case 0x38e:
	case 0x38f: return cp + 63;
	default: return cp >= 0x391 && cp <= 0x3ab && cp != 0x3a2 ? cp + 32 : cp;
	}
}

static uint32_t lower_cyrillic(uint32_t cp)
{
	if (cp <= 0x40f)
		return cp + 80;
	if (cp <= 0x42f)
		return cp + 32;
	if (cp < 0x460 || (cp >= 0x482 && cp <= 0x489))
		return cp;
	if (cp == 0x4c0)
		return 0x4cf;
	if (cp >= 0x4c1 && cp <= 0x4cf)
		return cp == 0x4cf ? cp : lower_pair(cp, 1);
	return lower_pair(cp, 0);
}

uint32_t utf8_cp_lower(uint32_t cp)
{
	if (cp < 0x80)
		return cp >= 'A' && cp <= 'Z' ? cp + 32 : cp;
	if (cp >= 0xc0 && cp <= 0xde)
		return cp == 0xd7 ? cp : cp + 32;
	if (cp >= 0x100 && cp <= 0x17f)
		return lower_latin_a(cp);
	if (cp >= 0x386 && cp <= 0x3ab)
		return lower_greek(cp);
	if (cp >= 0x400 && cp <= 0x52f)
		return lower_cyrillic(cp);
	if (cp >= 0xff21 && cp <= 0xff3a)
		return cp + 32;
	return cp;
}
