/* Nearest names by edit distance, for error messages. */
#include <ctype.h>
#include <string.h>

#include "common/sql/sql.h"

#define MAX_NAME 64

/* Edit distance without case, neighbours swapped counting once; over `limit`
 * gives limit + 1. */
static size_t distance(const char *a, const char *b, size_t limit)
{
	size_t la = strlen(a), lb = strlen(b);
	size_t rows[3][MAX_NAME + 1];
	if (la > MAX_NAME || lb > MAX_NAME || (la > lb ? la - lb : lb - la) > limit)
		return limit + 1;
	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t *now = rows[i % 3], *before = rows[(i + 2) % 3],
		       *before2 = rows[(i + 1) % 3];
		size_t least = now[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			int ca = tolower((unsigned char)a[i - 1]),
			    cb = tolower((unsigned char)b[j - 1]);
			size_t d = before[j - 1] + (ca != cb);
			if (before[j] + 1 < d)
				d = before[j] + 1;
			if (now[j - 1] + 1 < d)
				d = now[j - 1] + 1;
			if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
			    cb == tolower((unsigned char)a[i - 2]) && before2[j - 2] + 1 < d)
				d = before2[j - 2] + 1;
			now[j] = d;
			least = d < least ? d : least;
		}
		if (least > limit)
			return limit + 1;
	}
	return rows[la % 3][lb];
}

size_t sql_nearest(
    const char *name, const char *const *names, size_t n, const char **ret_best, size_t max)
{
	size_t len = strlen(name), limit = len <= 3 ? 1 : (len + 2) / 3;
	size_t best[16], count = 0;
	if (max > ARRAY_SIZE(best))
		max = ARRAY_SIZE(best);
	for (size_t i = 0; i < n && max > 0; i++) {
		size_t d = distance(name, names[i], limit), at = count;
		if (d > limit)
			continue;
		while (at > 0 && best[at - 1] > d)
			at--;
		if (at >= max)
			continue;
		if (count < max)
			count++;
		for (size_t j = count - 1; j > at; j--) {
			best[j] = best[j - 1];
			ret_best[j] = ret_best[j - 1];
		}
		best[at] = d;
		ret_best[at] = names[i];
	}
	return count;
}
