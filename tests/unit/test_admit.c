/* Admission: limits at N-1, N, N+1, fairness between principals, removal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "orchestrator/admit.h"

static const struct admit_conf conf = {2, 1, 3};

static struct admit *make(struct admit_conf c)
{
	struct admit *a = NULL;

	assert_int_equal(admit_new(&c, &a, NULL), 0);
	return a;
}

static void drain(struct admit *a, uint32_t uid)
{
	admit_close(a);
	while (admit_take(a))
		admit_done(a, uid);
	admit_free(a);
}

static void test_refuses_one_more_than_may_wait(void **state)
{
	struct admit *a = make(conf);
	struct err e = ERR_INIT;
	int items[5];

	(void)state;
	/* One may run and three wait; a burst counts the same before the one runs. */
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(admit_push(a, 1, &items[i], &e), 0);
	assert_int_equal(admit_push(a, 1, &items[4], &e), ERR_BUSY);
	assert_int_equal(e.phase, PHASE_REQUEST);
	assert_true(e.retry);
	/* Another principal is not concerned. */
	assert_int_equal(admit_push(a, 2, &items[4], &e), 0);
	assert_ptr_equal(admit_take(a), &items[0]);
	/* Principal 1 has one running, so it is 2's turn. */
	assert_ptr_equal(admit_take(a), &items[4]);
	admit_done(a, 2);
	/* That one of its items runs makes no place for a fifth; that it ends does. */
	assert_int_equal(admit_push(a, 1, &items[4], &e), ERR_BUSY);
	admit_done(a, 1);
	assert_int_equal(admit_push(a, 1, &items[4], &e), 0);
	drain(a, 1);
}

static void test_serves_principals_in_turn(void **state)
{
	struct admit *a = make((struct admit_conf){1, 1, 8});
	int items[6];

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(admit_push(a, 1, &items[i], NULL), 0);
	assert_int_equal(admit_push(a, 2, &items[4], NULL), 0);
	assert_ptr_equal(admit_take(a), &items[0]);
	admit_done(a, 1);
	/* Not the flood's second item. */
	assert_ptr_equal(admit_take(a), &items[4]);
	admit_done(a, 2);
	assert_ptr_equal(admit_take(a), &items[1]);
	admit_done(a, 1);
	drain(a, 1);
}

static void test_keeps_the_order_of_one_principal(void **state)
{
	struct admit *a = make((struct admit_conf){1, 1, 8});
	int items[5];

	(void)state;
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(admit_push(a, 7, &items[i], NULL), 0);
	for (size_t i = 0; i < 5; i++) {
		assert_ptr_equal(admit_take(a), &items[i]);
		admit_done(a, 7);
	}
	drain(a, 7);
}

static void test_removes_what_waits_and_nothing_else(void **state)
{
	struct admit *a = make(conf);
	uint32_t running, waiting;
	int items[3];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(admit_push(a, 1, &items[i], NULL), 0);
	assert_ptr_equal(admit_take(a), &items[0]);
	assert_false(admit_remove(a, &items[0]));
	assert_true(admit_remove(a, &items[2]));
	assert_false(admit_remove(a, &items[2]));
	admit_counts(a, &running, &waiting);
	assert_int_equal(running, 1);
	assert_int_equal(waiting, 1);
	/* The tail moved: what is pushed now comes after item 1. */
	assert_int_equal(admit_push(a, 1, &items[2], NULL), 0);
	admit_done(a, 1);
	assert_ptr_equal(admit_take(a), &items[1]);
	admit_done(a, 1);
	assert_ptr_equal(admit_take(a), &items[2]);
	admit_done(a, 1);
	drain(a, 1);
}

static void test_refuses_after_close_but_hands_out_the_rest(void **state)
{
	struct admit *a = make(conf);
	struct err e = ERR_INIT;
	int item;

	(void)state;
	assert_int_equal(admit_push(a, 1, &item, NULL), 0);
	admit_close(a);
	assert_int_equal(admit_push(a, 1, &item, &e), ERR_UNAVAILABLE);
	assert_ptr_equal(admit_take(a), &item);
	admit_done(a, 1);
	assert_null(admit_take(a));
	admit_free(a);
}

static void *take_one(void *arg)
{
	return admit_take(arg);
}

static void test_wakes_a_waiting_thread(void **state)
{
	struct admit *a = make(conf);
	pthread_t thread;
	void *got = NULL;
	int item;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, take_one, a), 0);
	assert_int_equal(admit_push(a, 1, &item, NULL), 0);
	pthread_join(thread, &got);
	assert_ptr_equal(got, &item);
	/* The running limit of the principal holds a second one back until done. */
	assert_int_equal(admit_push(a, 1, &item, NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, take_one, a), 0);
	admit_done(a, 1);
	pthread_join(thread, &got);
	assert_ptr_equal(got, &item);
	admit_done(a, 1);
	drain(a, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_refuses_one_more_than_may_wait),
	    cmocka_unit_test(test_serves_principals_in_turn),
	    cmocka_unit_test(test_keeps_the_order_of_one_principal),
	    cmocka_unit_test(test_removes_what_waits_and_nothing_else),
	    cmocka_unit_test(test_refuses_after_close_but_hands_out_the_rest),
	    cmocka_unit_test(test_wakes_a_waiting_thread),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
