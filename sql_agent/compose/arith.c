/* Two scalar subqueries and an operator, or an aggregate over a few rows. */
#include "sql_agent/compose/arith.h"

static const char *name(const struct emit *em, const char *english, const char *chinese)
{
	return em->view->g->lang == LANG_ZH ? chinese : english;
}

static int scalar(struct emit *em, uint32_t branch, struct sql_expr **ret_expr, struct err *e)
{
	struct sql_select *s;
	int rc = emit_branch(em, branch, em->ir->outputs, 1, &s, e);

	if (rc == 0)
		*ret_expr = sql_build_subquery(em->arena, s);
	return rc;
}

static int pair(struct emit *em, enum sql_op op, const char *alias, struct sql_select **ret_select,
    struct err *e)
{
	struct arena *a = em->arena;
	struct sql_select *s = sql_build_select(a);
	struct sql_expr *x = NULL, *y = NULL;
	int rc = scalar(em, 1, &x, e);

	/* a share's whole has the common conditions only */
	if (rc == 0)
		rc = scalar(em, em->ir->arithmetic == IR_ARITH_SHARE ? 3 : 2, &y, e);
	if (rc < 0)
		return rc;
	if (op == SQL_OP_DIV)
		x = sql_build_cast(a, x, "REAL"); /* counts are integers: 1 / 2 would be 0 */
	sql_build_output(a, s->cores[0], sql_build_binary(a, op, x, y), alias);
	*ret_select = s;
	return 0;
}

/* MAX(x) - MIN(x) over the first `limit` rows in order */
static int spread(struct emit *em, struct sql_select **ret_select, struct err *e)
{
	struct arena *a = em->arena;
	struct sql_select *s = sql_build_select(a), *rows;
	const char *column =
	    em->view->c->tables[em->ir->outputs[0].table].columns[em->ir->outputs[0].column].name;
	int rc = emit_branch(em, 0, em->ir->outputs, 1, &rows, e);

	if (rc < 0)
		return rc;
	sql_build_from_select(a, s->cores[0], SQL_JOIN_FIRST, rows, "leaders", NULL);
	sql_build_output(a, s->cores[0],
	    sql_build_binary(a, SQL_OP_SUB,
	        sql_build_call(a, "max", false, 1, sql_build_column(a, NULL, column)),
	        sql_build_call(a, "min", false, 1, sql_build_column(a, NULL, column))),
	    name(em, "difference", "差额"));
	*ret_select = s;
	return 0;
}

int arith_emit(struct emit *em, struct sql_select **ret_select, struct err *e)
{
	if (em->ir->n_outputs != 1)
		return err_set(
		    e, ERR_UNANSWERABLE, PHASE_GENERATE, "a calculation needs exactly one measure");
	switch (em->ir->arithmetic) {
	case IR_ARITH_DIFFERENCE:
		return pair(em, SQL_OP_SUB, name(em, "difference", "差额"), ret_select, e);
	case IR_ARITH_RATIO: return pair(em, SQL_OP_DIV, name(em, "ratio", "比值"), ret_select, e);
	case IR_ARITH_SHARE: return pair(em, SQL_OP_DIV, name(em, "share", "占比"), ret_select, e);
	default: return spread(em, ret_select, e);
	}
}
