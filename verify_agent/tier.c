/* Tiers 0 and 1, see tier.h. */
#include "verify_agent/tier.h"

#include "common/text/cue.h"

static const struct cert_check ran = {"ran", NULL, 1.0, true};
static const struct cert_check nothing = {"result", NULL, 0.8, false};
static const struct cert_check empty = {"result", NULL, 0.6, false};
static const struct cert_check result = {"result", NULL, 0.9, false};

bool tier_ran(struct cert *c)
{
	bool good = true;
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct verify_step *s = c->steps[i].in;
		if (s->error) {
			good = false;
			cert_line(c, &ran, CHECK_FAIL, "%s%s%s", s->error->text,
			    s->error->fix[0] ? "; " : "", s->error->fix);
		}
	}
	if (good) {
		cert_line(c, &ran, CHECK_PASS, SAY(c, "%zu 条查询已执行", "queries that ran: %zu"),
		    c->n_steps);
	}
	return good;
}

bool tier_all_null(const struct resultset *r)
{
	for (size_t i = 0; i < r->n_rows * r->n_columns; i++) {
		if (r->cells[i].type != VALUE_NULL) {
			return false;
		}
	}
	return r->n_rows > 0;
}

static bool steps_found_something(struct cert *c)
{
	for (size_t i = 0; i + 1 < c->n_steps; i++) {
		const struct resultset *r = c->steps[i].in->result;
		if (r->n_rows == 0 || tier_all_null(r)) {
			cert_line(c, &result, CHECK_FAIL,
			    SAY(c, "第 %zu 步没有结果，后面的查询没有依据",
			        "step %zu found nothing for the next one to build on"),
			    i + 1);
			return false;
		}
	}
	return true;
}

bool tier_sane(struct cert *c)
{
	const struct resultset *r = c->steps[c->n_steps - 1].in->result;
	if (!steps_found_something(c)) {
		return false;
	}
	if (r->n_rows == 0) {
		/* True, or a condition that is not what was meant. */
		cert_line(c, &nothing, CHECK_UNKNOWN,
		    SAY(c, "没有符合条件的行", "no row meets the conditions"));
	} else if (tier_all_null(r)) {
		/* An aggregate of nothing is NULL; a cell that is empty is more often
		 * that of the wrong column or row. */
		cert_line(c, c->steps[c->n_steps - 1].facts.n_aggregates ? &result : &empty,
		    CHECK_UNKNOWN, SAY(c, "结果全是空值", "the result is all NULL"));
	} else if (r->n_rows == 1 && (cert_has_cue(c, CUE_EACH) || cert_has_cue(c, CUE_TREND))) {
		cert_line(c, &result, CHECK_UNKNOWN,
		    SAY(c, "问的是多行，结果只有一行", "many rows were asked for, one came"));
	} else if (r->truncated) {
		cert_line(c, &result, CHECK_NOTE,
		    SAY(c, "结果被截断，只有前 %zu 行", "the result is cut at %zu rows"),
		    r->n_rows);
	} else {
		cert_line(c, &result, CHECK_PASS,
		    SAY(c, "%zu 行 × %zu 列", "%zu rows of %zu columns"), r->n_rows, r->n_columns);
	}
	return true;
}
