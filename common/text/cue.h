/*
 * Phrases that steer a query ("how many", "the highest", "each", 多少, 最高, 各)
 * and their kinds. The phrases themselves are rows of data files
 * (common/text/data/cues.en, cues.zh); this header is the closed list of kinds
 * that linking, composing and verifying share.
 */
#ifndef NLQ_CUE_H
#define NLQ_CUE_H

#include "common/base/base.h"

/* X(symbol, name in the data files) */
/* clang-format off */
#define CUE_KINDS(X)                                                           \
	X(CUE_NONE, "none")                                                    \
	X(CUE_COUNT, "count")               /* how many, number of, 多少个, 几家 */ \
	X(CUE_SUM, "sum")                   /* total, sum of, 总和, 合计 */      \
	X(CUE_AVG, "avg")                   /* average, mean, 平均 */            \
	X(CUE_MIN, "min")                   /* minimum, 最小值 */                \
	X(CUE_MAX, "max")                   /* maximum, 最大值 */                \
	X(CUE_MOST, "most")                 /* highest, largest, most, 最高, 最多 */ \
	X(CUE_LEAST, "least")               /* lowest, least, fewest, 最低, 最少 */ \
	X(CUE_TOP, "top")                   /* top 3, 前三 (cue_arg = n) */      \
	X(CUE_BOTTOM, "bottom")             /* bottom 3, 后三 (cue_arg = n) */   \
	X(CUE_EACH, "each")                 /* each, per, for every, 每个, 各 */  \
	X(CUE_BY, "by")                     /* grouped by, by, 按 */             \
	X(CUE_ASC, "asc")                   /* ascending, alphabetical, 升序 */   \
	X(CUE_DESC, "desc")                 /* descending, 从高到低 */            \
	X(CUE_SORT, "sort")                 /* sorted by, ordered by, 排序 */     \
	X(CUE_DISTINCT, "distinct")         /* different, distinct, 不同的 */     \
	X(CUE_GT, "gt")                     /* more than, over, 大于, 超过 */     \
	X(CUE_GE, "ge")                     /* at least, 不低于, 以上 */          \
	X(CUE_LT, "lt")                     /* less than, under, 小于, 低于 */    \
	X(CUE_LE, "le")                     /* at most, 不超过, 以下 */           \
	X(CUE_EQ, "eq")                     /* equal to, exactly, 等于 */         \
	X(CUE_NE, "ne")                     /* not equal to, other than, 不等于 */ \
	X(CUE_BETWEEN, "between")           /* between, from .. to, 介于 */       \
	X(CUE_CONTAINS, "contains")         /* contains, 包含 */                 \
	X(CUE_STARTS, "starts")             /* starts with, 以…开头 */            \
	X(CUE_ENDS, "ends")                 /* ends with, 以…结尾 */              \
	X(CUE_NOT, "not")                   /* not, without, never, 没有, 不是 */  \
	X(CUE_EXCEPT, "except")             /* except, but not, 除了 */           \
	X(CUE_AND, "and")                   /* and, 并且, 和 */                  \
	X(CUE_OR, "or")                     /* or, 或者 */                       \
	X(CUE_BOTH, "both")                 /* both, 既…又 */                    \
	X(CUE_EITHER, "either")             /* either */                         \
	X(CUE_DIFFERENCE, "difference")     /* difference between, 相差, 差额 */  \
	X(CUE_RATIO, "ratio")               /* ratio, times, 倍, 比值 */          \
	X(CUE_SHARE, "share")               /* share, percentage of, 占比 */      \
	X(CUE_THAN_AVG, "than_avg")         /* above average, 高于平均 */         \
	X(CUE_LIST, "list")                 /* list, show, give, 列出, 查询 */    \
	X(CUE_WHICH, "which")               /* which, what, 哪些, 哪家 */         \
	X(CUE_WHO, "who")                   /* who, 谁 */                        \
	X(CUE_WHEN, "when")                 /* when, 何时 */                     \
	X(CUE_WHERE, "where")               /* where, 哪里 */                    \
	X(CUE_OF, "of")                     /* of, 's, 的 */                     \
	X(CUE_WITH, "with")                 /* with, having, that have */        \
	X(CUE_THAT, "that")                 /* that, which, whose, who (relative) */ \
	X(CUE_FOR, "for")                   /* for, in, at, from, 在 */           \
	X(CUE_ALL, "all")                   /* all, every, 全部 */                \
	X(CUE_EXISTS, "exists")             /* have any, at least one, 有 */      \
	X(CUE_ALSO, "also")                 /* also, as well as, 以及 */          \
	X(CUE_EARLIEST, "earliest")         /* earliest, oldest, 最早 */          \
	X(CUE_LATEST, "latest")             /* latest, newest, most recent, 最近 */ \
	X(CUE_TREND, "trend")               /* over the years, 趋势 */

/* clang-format on */

enum cue_kind {
#define X(sym, name) sym,
	CUE_KINDS(X)
#undef X
	    CUE_KIND_COUNT
};

const char *cue_kind_name(enum cue_kind k);

#endif
