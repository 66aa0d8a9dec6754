/* Compiler attributes and tiny macros shared by every file. No functions. */
#ifndef NLQ_BASE_H
#define NLQ_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define NLQ_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define NLQ_MUST_CHECK __attribute__((warn_unused_result))
#define NLQ_UNUSED __attribute__((unused))
#define NLQ_NORETURN __attribute__((noreturn))

#define NLQ_VERSION "0.1.0"

#endif
