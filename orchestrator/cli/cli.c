/* Helpers that several commands share; see cli.h. */
#include "orchestrator/cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/strbuf.h"
#include "common/sql/sql.h"

int cli_read_stdin(const char *what, size_t max, char **ret_text, struct err *e)
{
	char *text = malloc(max + 2);
	size_t n;

	if (!text)
		return err_set(e, ERR_NOMEM, PHASE_REQUEST, "out of memory");
	n = fread(text, 1, max + 1, stdin);
	if (n > max) {
		free(text);
		err_set(e, ERR_TOO_LARGE, PHASE_REQUEST, "the %s on stdin has more than %zu bytes",
		    what, max);
		return ERR_TOO_LARGE;
	}
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		n--;
	if (memchr(text, '\0', n)) {
		free(text);
		return err_set(
		    e, ERR_BAD_INPUT, PHASE_REQUEST, "the %s on stdin holds a NUL byte", what);
	}
	text[n] = '\0';
	*ret_text = text;
	return 0;
}

int cli_text(const char *what, const char *const *words, size_t n, size_t max, char **ret_text,
    struct err *e)
{
	struct strbuf b;

	if (n == 1 && strcmp(words[0], "-") == 0)
		return cli_read_stdin(what, max, ret_text, e);
	strbuf_init(&b, 4u * 1024 * 1024);
	for (size_t i = 0; i < n; i++) {
		if (i)
			strbuf_putc(&b, ' ');
		strbuf_puts(&b, words[i]);
	}
	*ret_text = strbuf_take(&b);
	return 0;
}

int cli_pick(const char *word, const char *const *names, size_t n, struct err *e)
{
	const char *near[1];

	for (size_t i = 0; i < n; i++) {
		if (strcmp(word, names[i]) == 0)
			return (int)i;
	}
	err_set(e, ERR_USAGE, PHASE_REQUEST, "unknown command \"%.40s\"", word);
	if (sql_nearest(word, names, n, near, 1) == 1)
		err_fix(e, "did you mean \"%s\"?", near[0]);
	else
		err_fix(e, "nlq --help lists the commands");
	return -1;
}
