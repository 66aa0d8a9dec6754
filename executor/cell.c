/* See cell.h. */
#include "executor/cell.h"

#include <stdarg.h>
#include <string.h>

#include "common/base/utf8.h"

static bool is_clean(const char *s, size_t len)
{
	return memchr(s, 0, len) == NULL && utf8_valid(s, len);
}

const char *cell_text(struct arena *a, const char *s, size_t len, size_t *ret_len)
{
	char *out;
	size_t n = 0;

	if (is_clean(s, len)) {
		*ret_len = len;
		return arena_strndup(a, s, len);
	}
	out = arena_alloc(a, 3 * len + 1); /* a broken byte becomes three */
	for (size_t at = 0; at < len;) {
		uint32_t cp;

		at += utf8_next(s + at, len - at, &cp);
		n += utf8_encode(cp == 0 ? 0xFFFD : cp, out + n);
	}
	out[n] = '\0';
	*ret_len = n;
	return out;
}

bool cell_read(struct arena *a, sqlite3_stmt *st, int i, size_t max_bytes, struct value *ret_value)
{
	const char *bytes;
	size_t len, keep;

	memset(ret_value, 0, sizeof(*ret_value));
	switch (sqlite3_column_type(st, i)) {
	case SQLITE_INTEGER:
		ret_value->type = VALUE_INT;
		ret_value->i = sqlite3_column_int64(st, i);
		return false;
	case SQLITE_FLOAT:
		ret_value->type = VALUE_REAL;
		ret_value->r = sqlite3_column_double(st, i);
		return false;
	case SQLITE_TEXT:
		bytes = (const char *)sqlite3_column_text(st, i);
		len = (size_t)sqlite3_column_bytes(st, i);
		keep = len > max_bytes ? utf8_cut(bytes, len, max_bytes) : len;
		ret_value->type = VALUE_TEXT;
		ret_value->text = cell_text(a, bytes != NULL ? bytes : "", keep, &ret_value->len);
		return keep < len;
	case SQLITE_BLOB:
		bytes = sqlite3_column_blob(st, i);
		len = (size_t)sqlite3_column_bytes(st, i);
		keep = len > max_bytes ? max_bytes : len;
		ret_value->type = VALUE_BLOB;
		ret_value->text = arena_memdup(a, bytes != NULL ? bytes : "", keep);
		ret_value->len = keep;
		return keep < len;
	default: return false; /* NULL is the zero value */
	}
}

int cell_prepare(sqlite3 *db, sqlite3_stmt **ret_stmt, const char *format, ...)
{
	va_list ap;
	char *text;
	int rc;

	*ret_stmt = NULL;
	va_start(ap, format);
	text = sqlite3_vmprintf(format, ap);
	va_end(ap);
	if (text == NULL)
		return SQLITE_NOMEM;
	rc = sqlite3_prepare_v2(db, text, -1, ret_stmt, NULL);
	sqlite3_free(text);
	return rc;
}
