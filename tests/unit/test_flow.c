/* The flow's table: every state has an error row, everything ends, and the
 * transitions that promises rest on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "orchestrator/flow.h"

static bool is_outcome(enum flow_state s)
{
	return s == FLOW_ANSWER || s == FLOW_DESCRIBE || s == FLOW_DECLINE || s == FLOW_CLARIFY ||
	    s == FLOW_FAIL;
}

static void test_every_working_state_can_fail(void **state)
{
	(void)state;
	for (int s = 0; s < FLOW_STATES; s++) {
		if (s == FLOW_END || is_outcome((enum flow_state)s))
			continue;
		assert_int_equal(flow_next((enum flow_state)s, FLOW_ERROR), FLOW_FAIL);
	}
}

static void test_every_state_has_work_and_a_name(void **state)
{
	(void)state;
	for (int s = 0; s < FLOW_STATES; s++) {
		assert_non_null(flow_state_name((enum flow_state)s));
		if (s != FLOW_END)
			assert_non_null(flow_states[s]);
	}
}

static void test_outcomes_end_and_nothing_else_does(void **state)
{
	(void)state;
	for (int s = 0; s < FLOW_STATES; s++) {
		if (is_outcome((enum flow_state)s))
			assert_int_equal(flow_next((enum flow_state)s, FLOW_OK), FLOW_END);
	}
}

static void test_every_state_is_reached_from_the_start(void **state)
{
	bool seen[FLOW_STATES] = {[FLOW_CATALOG] = true};
	bool grew = true;

	(void)state;
	while (grew) {
		grew = false;
		for (int s = 0; s < FLOW_STATES; s++) {
			for (int ev = 0; seen[s] && ev < FLOW_EVENTS; ev++) {
				enum flow_state next = flow_next(
				    (enum flow_state)s, (enum flow_event)ev);

				grew |= !seen[next];
				seen[next] = true;
			}
		}
	}
	for (int s = 0; s < FLOW_STATES; s++)
		assert_true(seen[s]);
}

static void test_an_answer_comes_only_out_of_the_verifier(void **state)
{
	(void)state;
	for (int s = 0; s < FLOW_STATES; s++) {
		for (int ev = 0; ev < FLOW_EVENTS; ev++) {
			if (flow_next((enum flow_state)s, (enum flow_event)ev) == FLOW_ANSWER)
				assert_true(s == FLOW_VERIFY || s == FLOW_EXPLAIN);
		}
	}
	assert_int_equal(flow_next(FLOW_VERIFY, FLOW_EMPTY), FLOW_EXPLAIN);
}

static void test_a_query_is_verified_before_anything_is_made_of_it(void **state)
{
	(void)state;
	assert_int_equal(flow_next(FLOW_STEP, FLOW_CANDIDATE), FLOW_RUN);
	assert_int_equal(flow_next(FLOW_RUN, FLOW_OK), FLOW_VERIFY);
	for (int ev = 0; ev < FLOW_EVENTS; ev++) {
		assert_int_not_equal(flow_next(FLOW_RUN, (enum flow_event)ev), FLOW_ANSWER);
		assert_int_not_equal(flow_next(FLOW_STEP, (enum flow_event)ev), FLOW_ANSWER);
	}
}

static void test_a_thin_grounding_does_not_go_on_to_guess(void **state)
{
	(void)state;
	assert_int_equal(flow_next(FLOW_GROUND, FLOW_INSUFFICIENT), FLOW_RECHECK);
	assert_int_equal(flow_next(FLOW_RECHECK, FLOW_OK), FLOW_DECLINE);
	assert_int_equal(flow_next(FLOW_RECHECK, FLOW_STALE), FLOW_REFRESH);
}

static void test_unforeseen_events_lead_nowhere(void **state)
{
	(void)state;
	assert_int_equal(flow_next(FLOW_CATALOG, FLOW_CANDIDATE), FLOW_END);
	assert_int_equal(flow_next(FLOW_GROUND, FLOW_STALE), FLOW_END);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_working_state_can_fail),
	    cmocka_unit_test(test_every_state_has_work_and_a_name),
	    cmocka_unit_test(test_outcomes_end_and_nothing_else_does),
	    cmocka_unit_test(test_every_state_is_reached_from_the_start),
	    cmocka_unit_test(test_an_answer_comes_only_out_of_the_verifier),
	    cmocka_unit_test(test_a_query_is_verified_before_anything_is_made_of_it),
	    cmocka_unit_test(test_a_thin_grounding_does_not_go_on_to_guess),
	    cmocka_unit_test(test_unforeseen_events_lead_nowhere),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
