/* Result sets: digest, cells packed and unpacked, broken cells refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "common/model/pb_result.h"
#include "common/wire/wire.h"

static struct resultset *make(void)
{
	struct resultset *r = resultset_new();
	r->n_columns = 2;
	r->columns = arena_new_array(&r->arena, 2, struct result_column);
	r->columns[0] = (struct result_column){"name", "TEXT", "company", "name"};
	r->columns[1] = (struct result_column){"sum(x)", "", "", ""};
	r->n_rows = 4;
	r->cells = arena_new_array(&r->arena, 8, struct value);
	r->cells[0] = (struct value){.type = VALUE_TEXT, .text = "中国", .len = 6};
	r->cells[1] = (struct value){.type = VALUE_INT, .i = INT64_MIN};
	r->cells[2] = (struct value){.type = VALUE_TEXT, .text = "a\0b", .len = 3};
	r->cells[3] = (struct value){.type = VALUE_REAL, .r = 2012.1000000000022};
	r->cells[4] = (struct value){.type = VALUE_BLOB, .text = "\xff", .len = 1};
	r->cells[5] = (struct value){.type = VALUE_INT, .i = INT64_MAX};
	r->cells[7] = (struct value){.type = VALUE_INT, .i = -1};
	r->sql_shown = "SELECT 1";
	r->sql_run = "SELECT 1 LIMIT 3";
	r->truncated = true;
	r->stats.elapsed_us = 9;
	resultset_digest(r, &r->digest);
	return r;
}

static void test_rows_are_exact_after_a_trip_through_bytes(void **state)
{
	(void)state;
	struct resultset *r = make(), *back = NULL;
	struct arena a = ARENA_INIT;
	struct strbuf b;
	struct err e = ERR_INIT;
	ProtobufCMessage *m = NULL;
	strbuf_init(&b, 1 << 20);
	assert_int_equal(wire_pack(&b, &pb_result_message(&a, r)->base, &e), 0);
	assert_int_equal(wire_unpack(&nlq__result_set__descriptor, b.data, b.len, &m, &e), 0);
	assert_int_equal(pb_result_read((Nlq__ResultSet *)m, &back, &e), 0);
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(back->cells[i].type, r->cells[i].type);
		assert_true(value_equal(&back->cells[i], &r->cells[i]));
	}
	assert_true(back->truncated);
	assert_string_equal(back->sql_run, "SELECT 1 LIMIT 3");
	assert_string_equal(back->columns[0].table, "company");
	assert_int_equal(back->stats.elapsed_us, 9);
	assert_int_equal(resultset_cell(back, 3, 1)->i, -1);
	wire_free(m);
	strbuf_done(&b);
	arena_done(&a);
	resultset_free(r);
	resultset_free(back);
}

static void test_digest_sees_types_names_and_shape(void **state)
{
	(void)state;
	struct resultset *r = make();
	struct hash h;
	r->columns[1].name = "sum(y)";
	resultset_digest(r, &h);
	assert_false(hash_equal(&h, &r->digest));
	r->columns[1].name = "sum(x)";
	resultset_digest(r, &h);
	assert_true(hash_equal(&h, &r->digest));
	r->cells[7] = (struct value){.type = VALUE_REAL, .r = -1};
	resultset_digest(r, &h);
	assert_false(hash_equal(&h, &r->digest));
	resultset_free(r);
}

static void refuse(void (*spoil)(Nlq__ResultSet *m))
{
	struct resultset *r = make(), *back = NULL;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	Nlq__ResultSet *m = pb_result_message(&a, r);
	spoil(m);
	assert_int_equal(pb_result_read(m, &back, &e), ERR_PROTOCOL);
	assert_null(back);
	arena_done(&a);
	resultset_free(r);
}

static void spoil_rows(Nlq__ResultSet *m)
{
	m->n_rows = UINT64_MAX;
}
static void spoil_more(Nlq__ResultSet *m)
{
	m->n_rows = 3;
}
static void spoil_cut(Nlq__ResultSet *m)
{
	m->cells.len--;
}
static void spoil_cell(Nlq__ResultSet *m)
{
	m->cells.data[m->cells.len - 1] ^= 2;
}
static void spoil_columns(Nlq__ResultSet *m)
{
	m->n_columns = 0;
}
static void spoil_digest(Nlq__ResultSet *m)
{
	m->digest.len = 0;
}

static void test_refuses_what_does_not_add_up(void **state)
{
	(void)state;
	refuse(spoil_rows);
	refuse(spoil_more);
	refuse(spoil_cut);
	refuse(spoil_cell);
	refuse(spoil_columns);
	refuse(spoil_digest);
}

static void refuse_cell(const char *bytes, size_t len)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct value v;
	size_t pos = 0;
	assert_int_equal(
	    pb_cell_unpack(&a, (const uint8_t *)bytes, len, &pos, &v, &e), ERR_PROTOCOL);
	arena_done(&a);
}

static void test_refuses_broken_cells(void **state)
{
	(void)state;
	refuse_cell("", 0);
	refuse_cell("\x05", 1);
	refuse_cell("\x01", 1);
	refuse_cell("\x01\x80", 2);
	refuse_cell("\x01\x80\x00", 3); /* not the shortest form */
	refuse_cell("\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 11);
	refuse_cell("\x02\x00\x00\x00\x00\x00\x00\x00", 8);
	refuse_cell("\x03\x02"
	            "a",
	    3);
	refuse_cell("\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
	refuse_cell("\x03\x01\xff", 3);
}

static void test_a_result_over_the_message_limit_does_not_pass_for_whole(void **state)
{
	(void)state;
	struct resultset *r = resultset_new(), *back = NULL;
	struct arena a = ARENA_INIT;
	struct strbuf b;
	struct err e = ERR_INIT;
	char *big = calloc(1, 5 << 20);
	memset(big, 'x', 5 << 20);
	r->n_columns = r->n_rows = 1;
	r->columns = arena_new(&r->arena, struct result_column);
	r->columns[0].name = "x";
	r->cells = arena_new(&r->arena, struct value);
	r->cells[0] = (struct value){.type = VALUE_TEXT, .text = big, .len = 5 << 20};
	resultset_digest(r, &r->digest);
	strbuf_init(&b, 8 << 20);
	assert_int_equal(wire_pack(&b, &pb_result_message(&a, r)->base, &e), ERR_TOO_LARGE);
	assert_int_equal(pb_result_read(pb_result_message(&a, r), &back, &e), ERR_PROTOCOL);
	strbuf_done(&b);
	arena_done(&a);
	resultset_free(r);
	free(big);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows_are_exact_after_a_trip_through_bytes),
	    cmocka_unit_test(test_digest_sees_types_names_and_shape),
	    cmocka_unit_test(test_refuses_what_does_not_add_up),
	    cmocka_unit_test(test_refuses_broken_cells),
	    cmocka_unit_test(test_a_result_over_the_message_limit_does_not_pass_for_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
