/* See jsonout.h. Integers are exact; a blob is an object {"blob": hex}, so that
 * it cannot be taken for text. */
#include "orchestrator/cli/jsonout.h"

#include <string.h>

static void put_names(struct json *j, const char *key, const struct semantic_names *names)
{
	json_key(j, key);
	json_array(j);
	for (size_t i = 0; i < names->n; i++)
		json_string(j, names->items[i]);
	json_array_end(j);
}

static void put_value(struct json *j, const struct value *v)
{
	static const char digits[] = "0123456789abcdef";

	switch (v->type) {
	case VALUE_INT: json_int(j, v->i); break;
	case VALUE_REAL: json_double(j, v->r); break;
	case VALUE_TEXT: json_string_n(j, v->text, v->len); break;
	case VALUE_BLOB: {
		struct strbuf hex;

		strbuf_init(&hex, v->len * 2 + 1);
		for (size_t i = 0; i < v->len; i++) {
			strbuf_putc(&hex, digits[(uint8_t)v->text[i] >> 4]);
			strbuf_putc(&hex, digits[(uint8_t)v->text[i] & 15]);
		}
		json_object(j);
		json_key(j, "blob");
		json_string_n(j, hex.data, hex.len);
		json_object_end(j);
		strbuf_done(&hex);
		break;
	}
	default: json_null(j);
	}
}

static void put_rows(struct json *j, const struct resultset *r)
{
	json_key(j, "columns");
	json_array(j);
	for (size_t k = 0; r && k < r->n_columns; k++)
		json_string(j, r->columns[k].name);
	json_array_end(j);
	json_key(j, "rows");
	json_array(j);
	for (size_t i = 0; r && i < r->n_rows; i++) {
		json_array(j);
		for (size_t k = 0; k < r->n_columns; k++)
			put_value(j, resultset_cell(r, i, k));
		json_array_end(j);
	}
	json_array_end(j);
	json_key(j, "row_count");
	json_uint(j, r ? r->n_rows : 0);
	json_key(j, "truncated");
	json_bool(j, r && r->truncated);
}

void jsonout_error(struct json *j, const struct err *e)
{
	if (!e || !e->code) {
		json_null(j);
		return;
	}
	json_object(j);
	json_key(j, "code");
	json_string(j, err_code_name(e->code));
	json_key(j, "phase");
	json_string(j, err_phase_name(e->phase));
	json_key(j, "text");
	json_string(j, e->text);
	json_key(j, "fix");
	json_string(j, *e->fix ? e->fix : NULL);
	json_key(j, "position");
	if (e->line) {
		json_object(j);
		json_key(j, "line");
		json_uint(j, e->line);
		json_key(j, "column");
		json_uint(j, e->column);
		json_object_end(j);
	} else {
		json_null(j);
	}
	json_key(j, "retry");
	json_bool(j, e->retry);
	json_key(j, "retries_left");
	json_uint(j, e->retries_left);
	json_key(j, "details_omitted");
	json_bool(j, e->details_omitted);
	json_object_end(j);
}

static void put_certificate(struct json *j, const struct answer *a)
{
	json_key(j, "certificate");
	json_array(j);
	for (size_t i = 0; i < a->n_lines; i++) {
		json_object(j);
		json_key(j, "check");
		json_string(j, a->lines[i].check);
		json_key(j, "verdict");
		json_string(j, check_verdict_name(a->lines[i].verdict));
		json_key(j, "detail");
		json_string(j, a->lines[i].detail);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_steps(struct json *j, const struct answer *a)
{
	json_key(j, "steps");
	json_array(j);
	for (size_t i = 0; i < a->n_steps; i++) {
		const struct answer_step *s = &a->steps[i];

		json_object(j);
		json_key(j, "sql");
		json_string(j, s->sql);
		json_key(j, "purpose");
		json_string(j, *s->purpose ? s->purpose : NULL);
		if (s->result)
			put_rows(j, s->result);
		json_key(j, "error");
		jsonout_error(j, &s->err);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_tables(struct json *j, const struct answer *a)
{
	json_key(j, "tables");
	json_array(j);
	for (size_t i = 0; i < a->n_tables; i++) {
		json_object(j);
		json_key(j, "name");
		json_string(j, a->tables[i].name);
		json_key(j, "why");
		json_string(j, a->tables[i].text);
		json_object_end(j);
	}
	json_array_end(j);
	json_key(j, "timings_ms");
	json_object(j);
	for (size_t i = 0; i < a->n_timings; i++) {
		json_key(j, a->timings[i].stage);
		json_double(j, (double)(int64_t)(a->timings[i].ms * 1000 + 0.5) / 1000);
	}
	json_object_end(j);
}

void jsonout_answer(struct strbuf *out, const struct answer *a)
{
	struct json j;

	json_init(&j, out, false);
	json_object(&j);
	json_key(&j, "request_id");
	json_string(&j, *a->request_id ? a->request_id : NULL);
	json_key(&j, "outcome");
	json_string(&j, a->outcome);
	json_key(&j, "answer");
	json_string(&j, a->answer);
	json_key(&j, "unit");
	json_string(&j, a->unit);
	json_key(&j, "sql");
	json_string(&j, a->sql);
	put_rows(&j, a->result);
	json_key(&j, "confidence");
	if (a->has_confidence)
		json_double(&j, (double)(int64_t)(a->confidence * 1000 + 0.5) / 1000);
	else
		json_null(&j);
	put_names(&j, "assumptions", &a->assumptions);
	put_names(&j, "definitions", &a->definitions);
	put_names(&j, "options", &a->options);
	put_certificate(&j, a);
	put_tables(&j, a);
	put_steps(&j, a);
	json_key(&j, "generator");
	json_string(&j, a->generator && *a->generator ? a->generator : NULL);
	json_key(&j, "error");
	jsonout_error(&j, a->has_error ? &a->err : NULL);
	json_object_end(&j);
	strbuf_putc(out, '\n');
}

void jsonout_result(
    struct strbuf *out, const char *request_id, const struct resultset *r, const struct err *e)
{
	struct json j;

	json_init(&j, out, false);
	json_object(&j);
	json_key(&j, "request_id");
	json_string(&j, *request_id ? request_id : NULL);
	json_key(&j, "sql");
	json_string(&j, r ? r->sql_shown : NULL);
	put_rows(&j, r);
	json_key(&j, "error");
	jsonout_error(&j, e);
	json_object_end(&j);
	strbuf_putc(out, '\n');
}
