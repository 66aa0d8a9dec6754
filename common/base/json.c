#include "common/base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"

void json_init(struct json *j, struct strbuf *out, bool pretty)
{
	*j = (struct json){.out = out, .pretty = pretty};
}

static void new_line(struct json *j)
{
	if (!j->pretty)
		return;
	strbuf_putc(j->out, '\n');
	for (uint32_t i = 0; i < j->depth; i++)
		strbuf_puts(j->out, "  ");
}

/* Comma and line break before an item; a value right after its key has none. */
static void begin_item(struct json *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (j->has_item[j->depth])
		strbuf_putc(j->out, ',');
	if (j->depth)
		new_line(j);
	j->has_item[j->depth] = true;
}

static void open_level(struct json *j, char c)
{
	begin_item(j);
	strbuf_putc(j->out, c);
	assert(j->depth + 1 < ARRAY_SIZE(j->has_item));
	j->depth++;
	j->has_item[j->depth] = false;
}

static void close_level(struct json *j, char c)
{
	bool has_item = j->has_item[j->depth];

	assert(j->depth > 0 && !j->after_key);
	j->depth--;
	if (has_item)
		new_line(j);
	strbuf_putc(j->out, c);
}

void json_object(struct json *j)
{
	open_level(j, '{');
}

void json_object_end(struct json *j)
{
	close_level(j, '}');
}

void json_array(struct json *j)
{
	open_level(j, '[');
}

void json_array_end(struct json *j)
{
	close_level(j, ']');
}

static void add_quoted(struct strbuf *out, const char *s, size_t len)
{
	strbuf_putc(out, '"');
	for (size_t i = 0; i < len;) {
		uint32_t cp;
		char enc[4];

		i += utf8_next(s + i, len - i, &cp);
		switch (cp) {
		case '"': strbuf_puts(out, "\\\""); break;
		case '\\': strbuf_puts(out, "\\\\"); break;
		case '\n': strbuf_puts(out, "\\n"); break;
		case '\r': strbuf_puts(out, "\\r"); break;
		case '\t': strbuf_puts(out, "\\t"); break;
		default:
			if (cp < 0x20 || cp == 0x7f)
				strbuf_printf(out, "\\u%04x", (unsigned int)cp);
			else
				strbuf_add(out, enc, utf8_encode(cp, enc));
		}
	}
	strbuf_putc(out, '"');
}

void json_key(struct json *j, const char *key)
{
	assert(j->depth > 0 && !j->after_key);
	begin_item(j);
	add_quoted(j->out, key, strlen(key));
	strbuf_puts(j->out, j->pretty ? ": " : ":");
	j->after_key = true;
}

void json_string(struct json *j, const char *s)
{
	if (s)
		json_string_n(j, s, strlen(s));
	else
		json_null(j);
}

void json_string_n(struct json *j, const char *s, size_t len)
{
	begin_item(j);
	add_quoted(j->out, s, len);
}

void json_int(struct json *j, int64_t v)
{
	begin_item(j);
	strbuf_printf(j->out, "%" PRId64, v);
}

void json_uint(struct json *j, uint64_t v)
{
	begin_item(j);
	strbuf_printf(j->out, "%" PRIu64, v);
}

void json_double(struct json *j, double v)
{
	char text[40];

	if (!isfinite(v)) {
		json_null(j);
		return;
	}
	snprintf(text, sizeof(text), "%.15g", v);
	if (strtod(text, NULL) != v)
		snprintf(text, sizeof(text), "%.17g", v);
	begin_item(j);
	strbuf_puts(j->out, text);
}

void json_bool(struct json *j, bool v)
{
	begin_item(j);
	strbuf_puts(j->out, v ? "true" : "false");
}

void json_null(struct json *j)
{
	begin_item(j);
	strbuf_puts(j->out, "null");
}
