/* JSON writer with exact 64-bit integers and valid UTF-8 whatever comes in
 * (broken bytes become U+FFFD). Reading is cJSON's job. Commas are placed by
 * the writer; nesting is checked by assert. */
#ifndef NLQ_JSON_H
#define NLQ_JSON_H

#include "common/base/strbuf.h"

struct json {
	struct strbuf *out;
	uint32_t depth;
	bool pretty;
	bool has_item[64]; /* per depth: something was written already */
	bool after_key;
};

void json_init(struct json *j, struct strbuf *out, bool pretty);
void json_object(struct json *j);
void json_object_end(struct json *j);
void json_array(struct json *j);
void json_array_end(struct json *j);
void json_key(struct json *j, const char *key);
void json_string(struct json *j, const char *s); /* NULL gives null */
void json_string_n(struct json *j, const char *s, size_t len);
void json_int(struct json *j, int64_t v);
void json_uint(struct json *j, uint64_t v);
/* Shortest of %.15g and %.17g that reads back as v; inf and nan give null. */
void json_double(struct json *j, double v);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);

#endif
