/* One database value, as it travels from the executor to the answer. */
#ifndef NLQ_VALUE_H
#define NLQ_VALUE_H

#include "common/base/arena.h"
#include "common/base/strbuf.h"

enum value_type { VALUE_NULL, VALUE_INT, VALUE_REAL, VALUE_TEXT, VALUE_BLOB };

struct value {
	enum value_type type;
	int64_t i;        /* INT */
	double r;         /* REAL */
	const char *text; /* TEXT: valid UTF-8, NUL-terminated; BLOB: bytes */
	size_t len;       /* TEXT, BLOB: bytes, without the NUL */
};

/* Order of SQLite: NULL < numbers < text (bytes) < blob. Integers and reals
 * compare by value, exactly. */
int value_compare(const struct value *a, const struct value *b);
bool value_equal(const struct value *a, const struct value *b);
/* Text for people: integers exact, reals %.15g (so 2012.1, not
 * 2012.1000000000022), NULL as nothing, a blob as x'hex'. */
void value_print(struct strbuf *out, const struct value *v);
bool value_is_number(const struct value *v);
double value_as_double(const struct value *v); /* 0 for what is no number */

#endif
