#include "common/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/utf8.h"

#define LINE_MAX_BYTES 2048
#define QUOTE_MAX_BYTES 200

static const char *log_component = "nlq";
static enum log_level log_max = LOG_LEVEL_INFO;
static bool to_journal;

static const struct {
	const char *name;
	enum log_level level;
} levels[] = {
    {"error", LOG_LEVEL_ERROR},
    {"warn", LOG_LEVEL_WARN},
    {"info", LOG_LEVEL_INFO},
    {"debug", LOG_LEVEL_DEBUG},
};

/* The service manager tells which stream is the journal's; stderr may have been
 * redirected since. */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 &&
	    fstat(STDERR_FILENO, &st) == 0 && st.st_dev == dev && st.st_ino == ino;
}

void log_init(const char *component, enum log_level max_level)
{
	log_component = component;
	log_max = max_level;
	to_journal = stderr_is_journal();
}

static const char *level_name(enum log_level level)
{
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (levels[i].level == level)
			return levels[i].name;
	return "info";
}

int log_level_parse(const char *name, enum log_level *ret_level)
{
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		if (strcmp(levels[i].name, name) == 0) {
			*ret_level = levels[i].level;
			return 0;
		}
	}
	return -1;
}

void log_at(enum log_level level, const char *fmt, ...)
{
	char text[LINE_MAX_BYTES], prefix[8] = "";
	struct strbuf line;
	va_list ap;

	if (level > log_max)
		return;
	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	if (to_journal)
		snprintf(prefix, sizeof(prefix), "<%d>", (int)level);

	/* One write, so that lines of threads and processes do not mix. */
	strbuf_init(&line, (size_t)8 * LINE_MAX_BYTES);
	strbuf_printf(&line, "%s%s %s ", prefix, level_name(level), log_component);
	utf8_escape(&line, text, strlen(text));
	strbuf_putc(&line, '\n');
	if (write(STDERR_FILENO, line.data, line.len) < 0) {
		/* There is no other place to complain. */
	}
	strbuf_done(&line);
}

const char *log_quote(char *buf, size_t size, const char *text)
{
	struct strbuf quoted;
	size_t len = text ? strnlen(text, QUOTE_MAX_BYTES + 1) : 0;
	size_t cut = len ? utf8_cut(text, len, QUOTE_MAX_BYTES) : 0;
	size_t n;

	if (!size)
		return buf;
	strbuf_init(&quoted, (size_t)8 * QUOTE_MAX_BYTES);
	strbuf_putc(&quoted, '"');
	for (size_t i = 0, step; i < cut; i += step) {
		uint32_t cp;

		step = utf8_next(text + i, cut - i, &cp);
		if (cp == '"' || cp == '\\')
			strbuf_putc(&quoted, '\\');
		utf8_escape(&quoted, text + i, step);
	}
	strbuf_puts(&quoted, cut < len ? "...\"" : "\"");
	n = utf8_cut(quoted.data, quoted.len, size - 1);
	memcpy(buf, quoted.data, n);
	buf[n] = '\0';
	strbuf_done(&quoted);
	return buf;
}
