/* SQLite's dialect: which functions may be called, with how many arguments.
 * Left out on purpose: what loads code or tells about the process
 * (load_extension, sqlite_*), what makes huge values from small numbers
 * (randomblob, zeroblob, printf, format), two-argument trim (not interruptible,
 * quadratic), and what only makes sense beside writes (changes, ...). */
#include "common/sql/sql.h"

#define SCALAR(name, lo, hi)               \
	{                                  \
		name, lo, hi, false, false \
	}
#define AGGREGATE(name, lo, hi)           \
	{                                 \
		name, lo, hi, true, false \
	}
#define WINDOW(name, lo, hi)              \
	{                                 \
		name, lo, hi, false, true \
	}

/* Sorted by name; min and max are scalar with two or more arguments. */
static const struct sql_function functions[] = {
    SCALAR("abs", 1, 1),
    SCALAR("acos", 1, 1),
    SCALAR("acosh", 1, 1),
    SCALAR("asin", 1, 1),
    SCALAR("asinh", 1, 1),
    SCALAR("atan", 1, 1),
    SCALAR("atan2", 2, 2),
    SCALAR("atanh", 1, 1),
    AGGREGATE("avg", 1, 1),
    SCALAR("ceil", 1, 1),
    SCALAR("ceiling", 1, 1),
    SCALAR("char", 0, -1),
    SCALAR("coalesce", 2, -1),
    SCALAR("cos", 1, 1),
    SCALAR("cosh", 1, 1),
    AGGREGATE("count", 0, 1),
    WINDOW("cume_dist", 0, 0),
    SCALAR("current_date", 0, 0),
    SCALAR("current_time", 0, 0),
    SCALAR("current_timestamp", 0, 0),
    SCALAR("date", 0, -1),
    SCALAR("datetime", 0, -1),
    SCALAR("degrees", 1, 1),
    WINDOW("dense_rank", 0, 0),
    SCALAR("exp", 1, 1),
    WINDOW("first_value", 1, 1),
    SCALAR("floor", 1, 1),
    SCALAR("glob", 2, 2),
    AGGREGATE("group_concat", 1, 2),
    SCALAR("hex", 1, 1),
    SCALAR("ifnull", 2, 2),
    SCALAR("iif", 3, 3),
    SCALAR("instr", 2, 2),
    SCALAR("json", 1, 1),
    SCALAR("json_array", 0, -1),
    SCALAR("json_array_length", 1, 2),
    SCALAR("json_extract", 1, -1),
    AGGREGATE("json_group_array", 1, 1),
    AGGREGATE("json_group_object", 2, 2),
    SCALAR("json_insert", 1, -1),
    SCALAR("json_object", 0, -1),
    SCALAR("json_patch", 2, 2),
    SCALAR("json_quote", 1, 1),
    SCALAR("json_remove", 1, -1),
    SCALAR("json_replace", 1, -1),
    SCALAR("json_set", 1, -1),
    SCALAR("json_type", 1, 2),
    SCALAR("json_valid", 1, 1),
    SCALAR("julianday", 0, -1),
    WINDOW("lag", 1, 3),
    WINDOW("last_value", 1, 1),
    WINDOW("lead", 1, 3),
    SCALAR("length", 1, 1),
    SCALAR("like", 2, 3),
    SCALAR("likely", 1, 1),
    SCALAR("ln", 1, 1),
    SCALAR("log", 1, 2),
    SCALAR("log10", 1, 1),
    SCALAR("log2", 1, 1),
    SCALAR("lower", 1, 1),
    SCALAR("ltrim", 1, 1),
    AGGREGATE("max", 1, 1),
    SCALAR("max", 2, -1),
    AGGREGATE("min", 1, 1),
    SCALAR("min", 2, -1),
    SCALAR("mod", 2, 2),
    WINDOW("nth_value", 2, 2),
    WINDOW("ntile", 1, 1),
    SCALAR("nullif", 2, 2),
    WINDOW("percent_rank", 0, 0),
    SCALAR("pi", 0, 0),
    SCALAR("pow", 2, 2),
    SCALAR("power", 2, 2),
    SCALAR("quote", 1, 1),
    SCALAR("radians", 1, 1),
    SCALAR("random", 0, 0),
    WINDOW("rank", 0, 0),
    SCALAR("replace", 3, 3),
    SCALAR("round", 1, 2),
    WINDOW("row_number", 0, 0),
    SCALAR("rtrim", 1, 1),
    SCALAR("sign", 1, 1),
    SCALAR("sin", 1, 1),
    SCALAR("sinh", 1, 1),
    SCALAR("sqrt", 1, 1),
    SCALAR("strftime", 1, -1),
    SCALAR("substr", 2, 3),
    SCALAR("substring", 2, 3),
    AGGREGATE("sum", 1, 1),
    SCALAR("tan", 1, 1),
    SCALAR("tanh", 1, 1),
    SCALAR("time", 0, -1),
    AGGREGATE("total", 1, 1),
    SCALAR("trim", 1, 1),
    SCALAR("trunc", 1, 1),
    SCALAR("typeof", 1, 1),
    SCALAR("unicode", 1, 1),
    SCALAR("unixepoch", 0, -1),
    SCALAR("unlikely", 1, 1),
    SCALAR("upper", 1, 1),
};

const struct sql_dialect sql_dialect_sqlite = {
    .name = "sqlite",
    .identifier_quote = '"',
    .functions = functions,
    .n_functions = ARRAY_SIZE(functions),
};

const struct sql_dialect sql_dialect_sqlite_compat = {
    .name = "sqlite-compat",
    .identifier_quote = '"',
    .allow_double_quoted_strings = true,
    .functions = functions,
    .n_functions = ARRAY_SIZE(functions),
};
