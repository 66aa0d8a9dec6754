/*
 * One line per event on stderr, with the journal's <N> level prefix when
 * stderr is the journal: `level component message key=value`. User text goes
 * through log_quote (escaped, cut at 200 bytes). Never rows, never secrets.
 * Only main, handlers, rpc and flow log; everything else returns errors.
 */
#ifndef NLQ_LOG_H
#define NLQ_LOG_H

#include "common/base/base.h"

enum log_level { LOG_LEVEL_ERROR = 3, LOG_LEVEL_WARN = 4, LOG_LEVEL_INFO = 6, LOG_LEVEL_DEBUG = 7 };

/* component is borrowed and must outlive the process's logging. */
void log_init(const char *component, enum log_level max_level);
void log_at(enum log_level level, const char *fmt, ...) NLQ_PRINTF(2, 3);
int log_level_parse(const char *name, enum log_level *ret_level); /* 0 / -1 */

#define log_error(...) log_at(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_at(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_at(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_at(LOG_LEVEL_DEBUG, __VA_ARGS__)

/* "text" with quotes, escaped, cut at 200 bytes; writes into buf and returns it. */
const char *log_quote(char *buf, size_t size, const char *text);

#endif
