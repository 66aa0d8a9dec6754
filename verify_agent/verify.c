/* The ladder from tier 0 to the certificate, the verdict, the answer's text. */
#include "verify_agent/verify.h"

#include <string.h>

#include "verify_agent/cert.h"
#include "verify_agent/numbers.h"
#include "verify_agent/template.h"
#include "verify_agent/tier.h"
#include "verify_agent/shown.h"
#include "verify_agent/word.h"

/* Below it an answer is more often wrong than it is worth. */
#define CONFIDENCE_FLOOR 0.65
#define CONFIDENCE_FAILED 0.1
#define TIER_RAN 0
#define TIER_SANE 1
#define TIER_CERTIFICATE 2

static int check_input(
    const struct verify_step *steps, size_t n_steps, double confidence, struct err *e)
{
	if (n_steps == 0 || n_steps > VERIFY_MAX_STEPS) {
		return err_set(e, ERR_BAD_INPUT, PHASE_VERIFY,
		    "1 to %d queries can be verified, not %zu", VERIFY_MAX_STEPS, n_steps);
	}
	if (!(confidence >= 0 && confidence <= 1)) {
		return err_set(
		    e, ERR_BAD_INPUT, PHASE_VERIFY, "the confidence is not within 0 and 1");
	}
	for (size_t i = 0; i < n_steps; i++) {
		if (!steps[i].sql || !steps[i].result == !steps[i].error) {
			return err_set(e, ERR_BAD_INPUT, PHASE_VERIFY,
			    "query %zu has neither or both of a result and an error", i + 1);
		}
	}
	return 0;
}

/* A query that failed and was followed by another is no evidence of anything. */
static size_t drop_failed(
    const struct verify_step *steps, size_t n_steps, struct verify_step kept[VERIFY_MAX_STEPS])
{
	size_t n = 0;
	for (size_t i = 0; i < n_steps; i++) {
		if (!steps[i].error || i + 1 == n_steps) {
			kept[n++] = steps[i];
		}
	}
	return n;
}

/* Everything that a number of the answer may come from (P4). */
static void allow_sources(struct cert *c, struct numbers *n)
{
	const struct semantic *s = c->g->semantic;
	numbers_init(n, c->a);
	for (size_t i = 0; i < c->n_steps; i++) {
		numbers_allow_result(n, c->steps[i].in->result);
		numbers_allow_count(n, i + 1);
		for (size_t j = 0; j < c->steps[i].facts.n_columns; j++) {
			const struct sql_fact_column *x = &c->steps[i].facts.columns[j];
			numbers_allow(n, cert_column_label(c, x->table, x->column));
		}
	}
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *x = &c->g->spans[i];
		if (x->kind == SPAN_QUANTITY || x->kind == SPAN_PERIOD || x->kind == SPAN_VALUE ||
		    x->kind == SPAN_TABLE) {
			numbers_allow(n, cert_span_text(c, x));
		}
	}
	for (size_t i = 0; i < c->quotations.n; i++) {
		numbers_allow(n, c->quotations.items[i]);
	}
	for (size_t i = 0; i < s->n_datasets; i++) {
		for (size_t j = 0; j < s->datasets[i].n_fields; j++) {
			numbers_allow(n, s->datasets[i].fields[j].unit);
			numbers_allow(n, s->datasets[i].fields[j].null_means);
			for (size_t k = 0; k < s->datasets[i].fields[j].n_domain; k++) {
				numbers_allow(n, s->datasets[i].fields[j].domain[k].label);
			}
		}
	}
	for (size_t i = 0; i < s->n_metrics; i++) {
		numbers_allow(n, s->metrics[i].unit);
		numbers_allow(n, s->metrics[i].label);
		numbers_allow(n, s->metrics[i].name);
	}
}

/* A model's wording if there is one and it holds, else ours. False if the wall
 * stops even ours. */
static bool word_it(struct cert *c, const char *template_text)
{
	struct numbers sources;
	const char *text = NULL, *bad = NULL;
	struct err e = ERR_INIT;
	allow_sources(c, &sources);
	if (template_text && template_text[0]) {
		if (template_fill(c, template_text, &text, &e) == 0 &&
		    numbers_check(&sources, text, &bad)) {
			c->v->answer = text;
			verdict_line(c->v, "numbers", CHECK_PASS, "%s",
			    SAY(c, "文字中的每个数字都有来源",
			        "every number of the text has a source"));
			return true;
		}
		verdict_line(c->v, "template", CHECK_NOTE, "%s: %s",
		    SAY(c, "模型的措辞未被采用", "the model's wording is not used"),
		    bad ? bad : e.text);
	}
	text = word_answer(c);
	if (!numbers_check(&sources, text, &bad)) {
		verdict_line(c->v, "numbers", CHECK_FAIL,
		    SAY(c, "文字中的 %s 没有来源", "%s in the text has no source"), bad);
		return false;
	}
	verdict_line(c->v, "numbers", CHECK_PASS, "%s",
	    SAY(c, "文字中的每个数字都有来源", "every number of the text has a source"));
	c->v->answer = text;
	return true;
}

/* The model's own words for the columns that the answer's numbers come from, and
 * a word where a number has no known unit. */
static void define_columns(struct cert *c)
{
	struct shown v;
	shown_open(&v, c, c->n_steps - 1);
	for (size_t i = 0; i < v.n_shown; i++) {
		const struct measure *m = &v.measures[v.shown[i]];
		if (m->table == CERT_NONE || !shown_is_number(&v, v.shown[i])) {
			continue;
		}
		const struct semantic_field *f = semantic_field_of(
		    c->g->semantic, c->g->catalog, m->table, m->column);
		const char *label = cert_column_label(c, m->table, m->column);
		if (f && f->description[0]) {
			cert_define(c,
			    arena_printf(c->a, SAY(c, "%s：%s", "%s: %s"), label, f->description));
		}
		if (m->kind == MEASURE_UNKNOWN ||
		    (m->kind == MEASURE_ROWS && v.unit_columns[v.shown[i]] < 0)) {
			verdict_line(c->v, "units", CHECK_NOTE,
			    SAY(c, "%s的单位未知，答案不带单位",
			        "the unit of %s is not known, none is shown"),
			    label);
		}
	}
	c->v->unit = shown_single_unit(&v);
}

static void add_reason(struct cert *c, const char *text)
{
	cert_add_name(c, &c->v->reasons, text);
}

static bool has_failed(struct cert *c)
{
	bool failed = false;
	for (size_t i = 0; i < c->v->n_lines; i++) {
		if (c->v->lines[i].verdict == CHECK_FAIL) {
			failed = true;
			/* One thing to mend at a time: the first line is the one nearest to
			 * the question's words. */
			if (!c->v->reasons.n) {
				add_reason(c, c->v->lines[i].detail);
			}
		}
	}
	return failed;
}

/* Everything that lowered the confidence, as the reason for declining. */
static void add_doubts(struct cert *c)
{
	for (size_t i = 0; i < c->v->n_lines; i++) {
		if (c->v->lines[i].verdict == CHECK_UNKNOWN) {
			add_reason(c, c->v->lines[i].detail);
		}
	}
	if (!c->v->reasons.n) {
		add_reason(c,
		    SAY(c, "对问题的理解把握不足", "the question was not understood well enough"));
	}
}

/* One reason a leader: the readings to choose from. */
static void add_leaders(struct cert *c)
{
	struct shown v;
	shown_open(&v, c, 0);
	for (size_t i = 0; i < v.r->n_rows && v.n_shown; i++) {
		add_reason(c, shown_cell(&v, i, v.shown[0]));
	}
}

static void decide(struct cert *c, const char *template_text)
{
	struct verdict *v = c->v;
	if (has_failed(c)) {
		v->kind = c->is_final ? VERDICT_DECLINE : VERDICT_REVISE;
		c->confidence = c->confidence < CONFIDENCE_FAILED ? c->confidence
		                                                  : CONFIDENCE_FAILED;
	} else if (c->is_tie) {
		v->kind = VERDICT_CLARIFY;
		add_leaders(c);
	} else if (c->confidence < CONFIDENCE_FLOOR) {
		v->kind = VERDICT_DECLINE;
		add_doubts(c);
	} else {
		define_columns(c);
		v->kind = word_it(c, template_text) ? VERDICT_ACCEPT : VERDICT_DECLINE;
		if (v->kind == VERDICT_DECLINE) {
			v->unit = NULL;
			has_failed(c);
		}
	}
}

int verify_request(const struct grounding *g, const struct verify_step *steps, size_t n_steps,
    double confidence, const char *template_text, const char *const *assumptions,
    size_t n_assumptions, struct verdict **ret_verdict, struct err *e)
{
	int r = check_input(steps, n_steps, confidence, e);
	if (r < 0) {
		return r;
	}
	struct verify_step kept[VERIFY_MAX_STEPS];
	n_steps = drop_failed(steps, n_steps, kept);
	struct verdict *v = verdict_new();
	struct cert c = {
	    .a = &v->arena, .g = g, .zh = g->lang == LANG_ZH, .v = v, .confidence = confidence};
	for (size_t i = 0; i < n_assumptions; i++) {
		cert_assume(&c, assumptions[i]);
	}
	cert_open(&c, kept, n_steps);
	v->tier = TIER_RAN;
	if (tier_ran(&c)) {
		v->tier = TIER_SANE;
		if (tier_sane(&c)) {
			v->tier = TIER_CERTIFICATE;
		}
		/* Also where a step found nothing: the certificate may say why. */
		cert_run(&c);
	}
	decide(&c, template_text);
	v->confidence = c.confidence;
	*ret_verdict = v;
	return 0;
}
