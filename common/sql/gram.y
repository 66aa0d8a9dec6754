/*
 * The grammar: one SELECT statement of SQLite's dialect and nothing else; what
 * is not here does not parse, and that is the allow-list. Actions only call
 * node makers (node.c). Precedence is SQLite's, lowest first.
 */
%name sql_gram
%token_prefix TK_
%token_type {struct sql_token}
%extra_context {struct sql_parser *p}
%stack_size 2000

%include {
#include "common/sql/node.h"
#include "sql_gram.h"

#define EMPTY_LIST {0}
}

%syntax_error {
	if (!p->rc) {
		p->rc = ERR_SYNTAX;
		p->is_syntax = true;
	}
}
%stack_overflow {
	sql_parse_fail(p, ERR_TOO_COMPLEX, NULL, "the query is nested too deeply");
}

/* Known to the lexer, never part of a statement that parses. */
%token RESERVED SPACE PARAMETER SEMI.

%fallback ID ASC BY CAST CTIME_KW CURRENT DESC END EXCLUDE FIRST FOLLOWING GROUPS LAST LIKE_KW
	MATCH MATERIALIZED NO NULLS OFFSET OTHERS PARTITION PRECEDING RANGE RECURSIVE ROW ROWS TIES
	UNBOUNDED WITH.

%left OR.
%left AND.
%right NOT.
%left IS MATCH LIKE_KW BETWEEN IN ISNULL NOTNULL NE EQ.
%left GT LE LT GE.
%right ESCAPE.
%left BITAND BITOR LSHIFT RSHIFT.
%left PLUS MINUS.
%left STAR SLASH REM.
%left CONCAT PTR.
%left COLLATE.
%right BITNOT.
%nonassoc ON.

%token_class id ID|INDEXED.
%token_class ids ID|STRING.
%token_class number INTEGER|FLOAT.

/* --- statement ------------------------------------------------------------------ */

%start_symbol statement
statement ::= select(S). { p->result = S; }

%type select {struct sql_select *}
%type simple_select {struct sql_select *}
%type one_select {struct sql_select *}
select(A) ::= simple_select(A).
select(A) ::= WITH ctes(C) simple_select(S). { A = sql_node_with(p, C, S); }
select(A) ::= WITH RECURSIVE ctes(C) simple_select(S). { C.recursive = true; A = sql_node_with(p, C, S); }

%type ctes {struct sql_cte_list}
ctes(A) ::= nm(N) columns_opt(C) cte_as(M) LP select(S) RP. {
	struct sql_cte_list l = EMPTY_LIST;
	sql_cte_add(p, &l, &N, C, M, S);
	A = l;
}
ctes(A) ::= ctes(A) COMMA nm(N) columns_opt(C) cte_as(M) LP select(S) RP. { sql_cte_add(p, &A, &N, C, M, S); }

%type cte_as {int}
cte_as(A) ::= AS. { A = 0; }
cte_as(A) ::= AS MATERIALIZED. { A = 1; }
cte_as(A) ::= AS NOT MATERIALIZED. { A = 2; }

simple_select(A) ::= one_select(A).
simple_select(A) ::= simple_select(L) set_op(O) one_select(R). { A = sql_node_compound(p, L, O.kind, &O.token, R); }

%include {
struct set_op { int kind; struct sql_token token; };
}
%type set_op {struct set_op}
set_op(A) ::= UNION(T). { A.kind = SQL_SET_UNION; A.token = T; }
set_op(A) ::= UNION(T) ALL. { A.kind = SQL_SET_UNION_ALL; A.token = T; }
set_op(A) ::= INTERSECT(T). { A.kind = SQL_SET_INTERSECT; A.token = T; }
set_op(A) ::= EXCEPT(T). { A.kind = SQL_SET_EXCEPT; A.token = T; }

one_select(A) ::= SELECT distinct(D) outputs(C) from(F) where_opt(W) group_opt(G) having_opt(H)
	windows_opt(V) order_opt(O) limit_opt(L). {
	struct sql_core_parts parts = {D, C, F, W, H, G, V, O, L};
	A = sql_node_core(p, &parts);
}
one_select(A) ::= VALUES rows(V). { A = sql_node_values(p, V); }

%type rows {struct sql_values_list}
rows(A) ::= LP nexprs(L) RP. { struct sql_values_list v = EMPTY_LIST; sql_values_add(p, &v, L); A = v; }
rows(A) ::= rows(A) COMMA LP nexprs(L) RP. { sql_values_add(p, &A, L); }

%type distinct {bool}
distinct(A) ::= DISTINCT. { A = true; }
distinct(A) ::= ALL. { A = false; }
distinct(A) ::= . { A = false; }

/* --- select list ------------------------------------------------------------------ */

%type outputs {struct sql_output_list}
%type output_prefix {struct sql_output_list}
output_prefix(A) ::= outputs(A) COMMA.
output_prefix(A) ::= . { struct sql_output_list l = EMPTY_LIST; A = l; }
outputs(A) ::= output_prefix(A) here(B) expr(X) here(E) as_opt(N). { sql_output_add(p, &A, X, N, B, E); }
outputs(A) ::= output_prefix(A) here STAR. { sql_output_star(p, &A, NULL); }
outputs(A) ::= output_prefix(A) here nm(T) DOT STAR. { sql_output_star(p, &A, &T); }

/* Where the next token starts. */
%type here {const char *}
here(A) ::= . { A = yyLookaheadToken.start; }

%type as_opt {const char *}
as_opt(A) ::= AS nm(N). { A = sql_node_name(p, &N); }
as_opt(A) ::= ids(N). { A = sql_node_name(p, &N); }
as_opt(A) ::= . { A = NULL; }

/* --- FROM --------------------------------------------------------------------------- */

%type from {struct sql_source_list}
%type sources {struct sql_source_list}
from(A) ::= . { struct sql_source_list l = EMPTY_LIST; A = l; }
from(A) ::= FROM sources(L). { A = L; }

/* Separate rules for the first item, so that every join has a left side. */
sources(A) ::= source(F) on_using(U). {
	struct sql_source_list l = EMPTY_LIST;
	struct sql_join_op first = {SQL_JOIN_FIRST, false};
	sql_source_add(p, &l, first, F, U);
	A = l;
}
sources(A) ::= sources(A) join_op(O) source(F) on_using(U). { sql_source_add(p, &A, O, F, U); }

%type source {struct sql_source *}
source(A) ::= nm(N) as_opt(L). { A = sql_node_table(p, NULL, &N, L); }
source(A) ::= nm(S) DOT nm(N) as_opt(L). { A = sql_node_table(p, &S, &N, L); }
source(A) ::= nm(N) LP exprs(X) RP as_opt(L). { A = sql_node_function(p, &N, X, L); }
source(A) ::= LP(T) select(S) RP as_opt(L). { A = sql_node_from_select(p, &T, S, L); }
source(A) ::= LP(T) sources(F) RP as_opt(L). { A = sql_node_nested(p, &T, F, L); }

%type join_op {struct sql_join_op}
join_op(A) ::= COMMA. { A.join = SQL_JOIN_COMMA; A.natural = false; }
join_op(A) ::= JOIN. { A.join = SQL_JOIN_INNER; A.natural = false; }
join_op(A) ::= JOIN_KW(X) JOIN. { A = sql_node_join(p, &X, NULL, NULL); }
join_op(A) ::= JOIN_KW(X) JOIN_KW(Y) JOIN. { A = sql_node_join(p, &X, &Y, NULL); }
join_op(A) ::= JOIN_KW(X) JOIN_KW(Y) JOIN_KW(Z) JOIN. { A = sql_node_join(p, &X, &Y, &Z); }

%type on_using {struct sql_on_using}
on_using(A) ::= ON expr(X). { struct sql_on_using u = {X, {NULL, 0}}; A = u; }
on_using(A) ::= USING LP names(L) RP. { A.on = NULL; A.using = L; }
on_using(A) ::= . [OR] { struct sql_on_using u = {NULL, {NULL, 0}}; A = u; }

/* --- clauses ----------------------------------------------------------------------- */

%type where_opt {struct sql_expr *}
where_opt(A) ::= . { A = NULL; }
where_opt(A) ::= WHERE expr(X). { A = X; }

%type group_opt {struct sql_expr_list}
group_opt(A) ::= . { struct sql_expr_list l = EMPTY_LIST; A = l; }
group_opt(A) ::= GROUP BY nexprs(L). { A = L; }

%type having_opt {struct sql_expr *}
having_opt(A) ::= . { A = NULL; }
having_opt(A) ::= HAVING expr(X). { A = X; }

%type order_opt {struct sql_order_list}
%type order_terms {struct sql_order_list}
order_opt(A) ::= . { struct sql_order_list l = EMPTY_LIST; A = l; }
order_opt(A) ::= ORDER BY order_terms(L). { A = L; }
order_terms(A) ::= expr(X) direction(D) nulls(N). {
	struct sql_order_list l = EMPTY_LIST;
	sql_order_add(p, &l, X, D, N);
	A = l;
}
order_terms(A) ::= order_terms(A) COMMA expr(X) direction(D) nulls(N). { sql_order_add(p, &A, X, D, N); }

%type direction {int}
direction(A) ::= ASC. { A = 0; }
direction(A) ::= DESC. { A = 1; }
direction(A) ::= . { A = 0; }
%type nulls {int}
nulls(A) ::= NULLS FIRST. { A = 1; }
nulls(A) ::= NULLS LAST. { A = 2; }
nulls(A) ::= . { A = 0; }

%type limit_opt {struct sql_limit}
limit_opt(A) ::= . { A.limit = A.offset = NULL; }
limit_opt(A) ::= LIMIT expr(X). { struct sql_limit l = {X, NULL}; A = l; }
limit_opt(A) ::= LIMIT expr(X) OFFSET expr(Y). { struct sql_limit l = {X, Y}; A = l; }
limit_opt(A) ::= LIMIT expr(X) COMMA expr(Y). { struct sql_limit l = {Y, X}; A = l; }

/* --- windows -------------------------------------------------------------------------- */

%type windows_opt {struct sql_window_list}
%type window_defs {struct sql_window_list}
windows_opt(A) ::= . { struct sql_window_list l = EMPTY_LIST; A = l; }
windows_opt(A) ::= WINDOW window_defs(L). { A = L; }
window_defs(A) ::= nm(N) AS LP window(W) RP. {
	struct sql_window_list l = EMPTY_LIST;
	sql_window_add(p, &l, &N, W);
	A = l;
}
window_defs(A) ::= window_defs(A) COMMA nm(N) AS LP window(W) RP. { sql_window_add(p, &A, &N, W); }

%include {
static const struct sql_expr_list no_exprs = EMPTY_LIST;
}
%type window {struct sql_window *}
window(A) ::= PARTITION BY nexprs(P) order_opt(O) frame_opt(F). { A = sql_node_window(p, NULL, P, O, F); }
window(A) ::= nm(B) PARTITION BY nexprs(P) order_opt(O) frame_opt(F). { A = sql_node_window(p, &B, P, O, F); }
window(A) ::= order_opt(O) frame_opt(F). { A = sql_node_window(p, NULL, no_exprs, O, F); }
window(A) ::= nm(B) order_opt(O) frame_opt(F). { A = sql_node_window(p, &B, no_exprs, O, F); }

%type frame_opt {struct sql_window *}
frame_opt(A) ::= . { A = NULL; }
frame_opt(A) ::= frame_unit(U) frame_start(S) frame_exclude(E). {
	A = arena_new(p->arena, struct sql_window);
	A->has_frame = true;
	A->unit = U;
	A->from = S;
	A->to.kind = SQL_FRAME_CURRENT_ROW;
	A->exclude = E;
}
frame_opt(A) ::= frame_unit(U) BETWEEN frame_start(S) AND frame_end(T) frame_exclude(E). {
	A = arena_new(p->arena, struct sql_window);
	A->has_frame = true;
	A->unit = U;
	A->from = S;
	A->to = T;
	A->exclude = E;
}
%type frame_unit {int}
frame_unit(A) ::= ROWS. { A = SQL_FRAME_ROWS; }
frame_unit(A) ::= RANGE. { A = SQL_FRAME_RANGE; }
frame_unit(A) ::= GROUPS. { A = SQL_FRAME_GROUPS; }

%type frame_start {struct sql_frame_bound}
%type frame_end {struct sql_frame_bound}
%type frame_bound {struct sql_frame_bound}
frame_start(A) ::= frame_bound(A).
frame_start(A) ::= UNBOUNDED PRECEDING. { A.kind = SQL_FRAME_UNBOUNDED_PRECEDING; A.offset = NULL; }
frame_end(A) ::= frame_bound(A).
frame_end(A) ::= UNBOUNDED FOLLOWING. { A.kind = SQL_FRAME_UNBOUNDED_FOLLOWING; A.offset = NULL; }
frame_bound(A) ::= expr(X) PRECEDING. { struct sql_frame_bound b = {SQL_FRAME_PRECEDING, X}; A = b; }
frame_bound(A) ::= CURRENT ROW. { A.kind = SQL_FRAME_CURRENT_ROW; A.offset = NULL; }
frame_bound(A) ::= expr(X) FOLLOWING. { struct sql_frame_bound b = {SQL_FRAME_FOLLOWING, X}; A = b; }

%type frame_exclude {int}
frame_exclude(A) ::= . { A = SQL_EXCLUDE_NONE; }
frame_exclude(A) ::= EXCLUDE NO OTHERS. { A = SQL_EXCLUDE_NO_OTHERS; }
frame_exclude(A) ::= EXCLUDE CURRENT ROW. { A = SQL_EXCLUDE_CURRENT_ROW; }
frame_exclude(A) ::= EXCLUDE GROUP. { A = SQL_EXCLUDE_GROUP; }
frame_exclude(A) ::= EXCLUDE TIES. { A = SQL_EXCLUDE_TIES; }

%type over_opt {struct sql_over}
%type over {struct sql_over}
%type filter {struct sql_expr *}
over_opt(A) ::= filter(F). { struct sql_over o = {F, NULL, NULL}; A = o; }
over_opt(A) ::= over(A).
over_opt(A) ::= filter(F) over(O). { A = O; A.filter = F; }
over(A) ::= OVER LP window(W) RP. { struct sql_over o = {NULL, W, NULL}; A = o; }
over(A) ::= OVER nm(N). { struct sql_over o = {NULL, NULL, NULL}; o.name = sql_node_name(p, &N); A = o; }
filter(A) ::= FILTER LP WHERE expr(X) RP. { A = X; }

/* --- names ------------------------------------------------------------------------------ */


%type nm {struct sql_token}
nm(A) ::= id(A).
nm(A) ::= STRING(A).
nm(A) ::= JOIN_KW(A).

%type names {struct sql_name_list}
names(A) ::= nm(N). { struct sql_name_list l = EMPTY_LIST; sql_names_add(p, &l, &N); A = l; }
names(A) ::= names(A) COMMA nm(N). { sql_names_add(p, &A, &N); }
%type columns_opt {struct sql_name_list}
columns_opt(A) ::= . { struct sql_name_list l = EMPTY_LIST; A = l; }
columns_opt(A) ::= LP names(L) RP. { A = L; }

/* --- expressions --------------------------------------------------------------------------- */

%type exprs {struct sql_expr_list}
%type nexprs {struct sql_expr_list}
exprs(A) ::= nexprs(A).
exprs(A) ::= . { struct sql_expr_list l = EMPTY_LIST; A = l; }
nexprs(A) ::= expr(X). { struct sql_expr_list l = EMPTY_LIST; sql_list_add(p, &l, X); A = l; }
nexprs(A) ::= nexprs(A) COMMA expr(X). { sql_list_add(p, &A, X); }

%type expr {struct sql_expr *}
%type term {struct sql_expr *}
expr(A) ::= term(A).
expr(A) ::= LP expr(X) RP. { A = X; }
expr(A) ::= id(C). { A = sql_node_column(p, NULL, NULL, &C); }
expr(A) ::= JOIN_KW(C). { A = sql_node_column(p, NULL, NULL, &C); }
expr(A) ::= nm(T) DOT nm(C). { A = sql_node_column(p, NULL, &T, &C); }
expr(A) ::= nm(S) DOT nm(T) DOT nm(C). { A = sql_node_column(p, &S, &T, &C); }
term(A) ::= NULL(T). { A = sql_node_literal(p, SQL_NULL, &T); }
term(A) ::= INTEGER(T). { A = sql_node_literal(p, SQL_NUMBER, &T); }
term(A) ::= FLOAT(T). { A = sql_node_literal(p, SQL_NUMBER, &T); }
term(A) ::= BLOB(T). { A = sql_node_literal(p, SQL_BLOB, &T); }
term(A) ::= STRING(T). { A = sql_node_literal(p, SQL_STRING, &T); }
term(A) ::= CTIME_KW(T). { A = sql_node_literal(p, SQL_KEYWORD, &T); }
expr(A) ::= PARAMETER(T). { sql_parse_fail(p, ERR_SYNTAX, &T, "parameters are not allowed"); A = NULL; }
expr(A) ::= expr(L) COLLATE ids(N). { A = sql_node_collate(p, L, &N); }
expr(A) ::= CAST(T) LP expr(X) AS type(N) RP. { A = sql_node_cast(p, &T, X, N); }
expr(A) ::= call(A).
expr(A) ::= call(C) over_opt(O). { A = sql_node_over(p, C, O); }
expr(A) ::= LP(T) nexprs(L) COMMA expr(X) RP. { sql_list_add(p, &L, X); A = sql_node_row(p, &T, L); }

%type call {struct sql_expr *}
call(A) ::= id(N) LP distinct(D) exprs(L) RP. { A = sql_node_call(p, &N, D, false, L); }
call(A) ::= id(N) LP STAR RP. { A = sql_node_call(p, &N, false, true, no_exprs); }

expr(A) ::= expr(L) AND expr(R). { A = sql_node_binary(p, SQL_OP_AND, L, R); }
expr(A) ::= expr(L) OR expr(R). { A = sql_node_binary(p, SQL_OP_OR, L, R); }
expr(A) ::= expr(L) LT|GT|GE|LE(O) expr(R). { A = sql_node_binary(p, sql_node_op(@O, &O), L, R); }
expr(A) ::= expr(L) EQ|NE(O) expr(R). { A = sql_node_binary(p, sql_node_op(@O, &O), L, R); }
expr(A) ::= expr(L) BITAND|BITOR|LSHIFT|RSHIFT(O) expr(R). { A = sql_node_binary(p, sql_node_op(@O, &O), L, R); }
expr(A) ::= expr(L) PLUS|MINUS(O) expr(R). { A = sql_node_binary(p, sql_node_op(@O, &O), L, R); }
expr(A) ::= expr(L) STAR|SLASH|REM(O) expr(R). { A = sql_node_binary(p, sql_node_op(@O, &O), L, R); }
expr(A) ::= expr(L) CONCAT|PTR(O) expr(R). { A = sql_node_binary(p, sql_node_op(@O, &O), L, R); }

%type like_op {struct sql_like_op}
like_op(A) ::= LIKE_KW|MATCH(T). { A.op = T; A.negated = false; }
like_op(A) ::= NOT LIKE_KW|MATCH(T). { A.op = T; A.negated = true; }
expr(A) ::= expr(L) like_op(O) expr(R). [LIKE_KW] { A = sql_node_like(p, L, O, R, NULL); }
expr(A) ::= expr(L) like_op(O) expr(R) ESCAPE expr(E). [LIKE_KW] { A = sql_node_like(p, L, O, R, E); }

expr(A) ::= expr(L) ISNULL|NOTNULL(O). { A = sql_node_is_null(p, L, @O == TK_NOTNULL); }
expr(A) ::= expr(L) NOT NULL. { A = sql_node_is_null(p, L, true); }
expr(A) ::= expr(L) IS expr(R). { A = sql_node_binary(p, SQL_OP_IS, L, R); }
expr(A) ::= expr(L) IS NOT expr(R). { A = sql_node_binary(p, SQL_OP_IS_NOT, L, R); }
expr(A) ::= expr(L) IS NOT DISTINCT FROM expr(R). { A = sql_node_binary(p, SQL_OP_IS, L, R); }
expr(A) ::= expr(L) IS DISTINCT FROM expr(R). { A = sql_node_binary(p, SQL_OP_IS_NOT, L, R); }
expr(A) ::= NOT(T) expr(X). { A = sql_node_unary(p, SQL_OP_NOT, &T, X); }
expr(A) ::= BITNOT(T) expr(X). { A = sql_node_unary(p, SQL_OP_BIT_NOT, &T, X); }
expr(A) ::= PLUS(T) expr(X). [BITNOT] { A = sql_node_unary(p, SQL_OP_POS, &T, X); }
expr(A) ::= MINUS(T) expr(X). [BITNOT] { A = sql_node_unary(p, SQL_OP_NEG, &T, X); }

%type between_op {bool}
between_op(A) ::= BETWEEN. { A = false; }
between_op(A) ::= NOT BETWEEN. { A = true; }
expr(A) ::= expr(X) between_op(N) expr(L) AND expr(H). [BETWEEN] { A = sql_node_between(p, X, L, H, N); }

%type in_op {bool}
in_op(A) ::= IN. { A = false; }
in_op(A) ::= NOT IN. { A = true; }
expr(A) ::= expr(X) in_op(N) LP exprs(L) RP. [IN] { A = sql_node_in_list(p, X, L, N); }
expr(A) ::= expr(X) in_op(N) LP(T) select(S) RP. [IN] { A = sql_node_select(p, SQL_IN_SELECT, &T, X, S, N); }
expr(A) ::= expr(X) in_op(N) in_source(F). [IN] {
	struct sql_token none = {0};
	A = sql_node_select(p, SQL_IN_SELECT, &none, X, sql_node_in_source(p, F), N);
}
%type in_source {struct sql_source *}
in_source(A) ::= nm(N). { A = sql_node_table(p, NULL, &N, NULL); }
in_source(A) ::= nm(S) DOT nm(N). { A = sql_node_table(p, &S, &N, NULL); }
in_source(A) ::= nm(N) LP exprs(L) RP. { A = sql_node_function(p, &N, L, NULL); }

expr(A) ::= LP(T) select(S) RP. { A = sql_node_select(p, SQL_SUBQUERY, &T, NULL, S, false); }
expr(A) ::= EXISTS(T) LP select(S) RP. { A = sql_node_select(p, SQL_EXISTS, &T, NULL, S, false); }

expr(A) ::= CASE(T) case_operand(X) whens(L) case_else(E) END. { A = sql_node_case(p, &T, X, L, E); }
%type whens {struct sql_expr_list}
whens(A) ::= WHEN expr(C) THEN expr(V). {
	struct sql_expr_list l = EMPTY_LIST;
	sql_list_add(p, &l, C);
	sql_list_add(p, &l, V);
	A = l;
}
whens(A) ::= whens(A) WHEN expr(C) THEN expr(V). { sql_list_add(p, &A, C); sql_list_add(p, &A, V); }
%type case_operand {struct sql_expr *}
case_operand(A) ::= expr(A).
case_operand(A) ::= . { A = NULL; }
%type case_else {struct sql_expr *}
case_else(A) ::= ELSE expr(X). { A = X; }
case_else(A) ::= . { A = NULL; }

/* --- type names ------------------------------------------------------------------------------- */

%type type {const char *}
%type type_words {const char *}
%type signed {const char *}
type(A) ::= . { A = ""; }
type(A) ::= type_words(A).
type(A) ::= type_words(W) LP signed(X) RP. { A = arena_printf(p->arena, "%s(%s)", W, X); }
type(A) ::= type_words(W) LP signed(X) COMMA signed(Y) RP. { A = arena_printf(p->arena, "%s(%s, %s)", W, X, Y); }
type_words(A) ::= ids(T). { A = sql_node_type(p, "", &T, ""); }
type_words(A) ::= type_words(L) ids(T). { A = sql_node_type(p, L, &T, " "); }
signed(A) ::= number(T). { A = sql_node_type(p, "", &T, ""); }
signed(A) ::= PLUS number(T). { A = sql_node_type(p, "", &T, ""); }
signed(A) ::= MINUS number(T). { A = sql_node_type(p, "-", &T, ""); }

/* --- what could stand here ------------------------------------------------------------------------ */

%code {
/* Follows the parser's tables for one token without changing the parser: the
 * actions must not run, so the states are kept on a stack of their own. */
static bool could_shift(const yyParser *yyp, int token)
{
	YYACTIONTYPE states[200];
	size_t n = 0, depth = (size_t)(yyp->yytos - yyp->yystack) + 1;
	size_t from = depth > 100 ? depth - 100 : 0;
	for (size_t i = from; i < depth; i++)
		states[n++] = yyp->yystack[i].stateno;
	for (;;) {
		YYACTIONTYPE act = states[n - 1];
		if (act <= YY_MAX_SHIFT)
			act = yy_find_shift_action((YYCODETYPE)token, act);
		if (act < YY_MIN_REDUCE)
			return act != YY_ERROR_ACTION && act != YY_NO_ACTION;
		unsigned rule = act - YY_MIN_REDUCE;
		size_t pop = (size_t)-yyRuleInfoNRhs[rule];
		if (pop >= n || n - pop >= ARRAY_SIZE(states))
			return false;
		n -= pop;
		states[n] = yy_find_reduce_action(states[n - 1], yyRuleInfoLhs[rule]);
		n++;
	}
}

size_t sql_gram_expected(void *yyp, int *ret_tokens, size_t max)
{
	size_t n = 0;
	for (int t = 0; t < YYNTOKEN && n < max; t++)
		if (could_shift(yyp, t))
			ret_tokens[n++] = t;
	return n;
}
}
