/* The story of a schedule for programs: every step, who holds which lock, what was met; and that
 * whatever is told holds together. */
#include "snapshot_fixture.h"

#include "report/story/story_read.h"

static json_t *tell_json(const struct darn_snapshot *snapshot)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    json_t *story;

    assert_non_null(out);
    darn_snapshot_story_json(snapshot, out);
    fclose(out);
    story = json_loadb(text, length, 0, NULL);
    assert_non_null(story);
    assert_true(darn_story_is_sound(story));
    free(text);
    return story;
}

/* A list as it is written: `[1,0,3]`. */
static void expect_list(const json_t *story, const char *name, const char *expected)
{
    char *text = json_dumps(json_object_get(story, name), JSON_COMPACT);

    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static const json_t *deed_of(const json_t *story, size_t step)
{
    const json_t *number = json_array_get(json_object_get(story, "steps"), 3 * step + 1);

    return json_array_get(json_object_get(story, "deeds"), (size_t)json_integer_value(number));
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    assert_non_null(text);
    return text;
}

static void expect_ending(const json_t *story, const char *expected)
{
    size_t i;
    const json_t *line;

    json_array_foreach(json_object_get(story, "ending"), i, line)
    {
        if (strcmp(text_of(line, "text"), expected) == 0)
            return;
    }
    fail_msg("not told: %s", expected);
}

static void a_race_has_its_marks_and_its_place(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    uint64_t read = site_at("test", DARN_SITE_READ), write = site_at("take", DARN_SITE_WRITE);
    uint64_t balance = address_of("savings") + 40;
    struct darn_block_met *met;
    const json_t *first, *place;
    json_t *story;

    (void)state;
    add_step(&snapshot, 0, DARN_STEP_CREATE, 0, call_at("main", "create"));
    add_step(&snapshot, 0, DARN_STEP_CREATE, 0, call_at("main", "create"));
    add_step(&snapshot, 1, DARN_STEP_READ, balance, read);
    add_step(&snapshot, 2, DARN_STEP_READ, balance, read)->flags = DARN_STEP_PREEMPTS;
    met = add_met(&snapshot, DARN_MET_RACE);
    met->threads[0] = (struct darn_block_thread){
        .thread = 2, .op = DARN_STEP_WRITE, .place = write, .object = balance};
    met->threads[1] = met->threads[0];
    met->threads[1].thread = 1;
    add_step(&snapshot, 2, DARN_STEP_WRITE, balance, write);
    add_step(&snapshot, 1, DARN_STEP_WRITE, balance, write);
    block_of(&snapshot)->result.end = DARN_END_EXIT;
    block_of(&snapshot)->result.status = 1 << 8;
    story = tell_json(&snapshot);
    expect_list(story, "steps", "[0,0,0,0,1,0,1,2,0,2,2,1,2,3,0,1,3,0]");
    expect_list(story, "holds", "[]");
    assert_string_equal(text_of(deed_of(story, 0), "text"), "create T1");
    assert_string_equal(text_of(deed_of(story, 1), "text"), "create T2");
    assert_string_equal(text_of(deed_of(story, 4), "text"), "write client->balance");
    place = json_array_get(json_object_get(story, "places"),
                           (size_t)json_integer_value(json_object_get(deed_of(story, 4), "place")));
    assert_string_equal(text_of(place, "file"), "shop.c");
    assert_int_equal(json_integer_value(json_object_get(place, "line")), line_of("take"));
    first = json_array_get(json_object_get(story, "met"), 0);
    assert_int_equal(json_integer_value(json_object_get(first, "step")), 4);
    assert_int_equal(json_array_size(json_object_get(first, "about")), 2);
    expect_list(first, "marks", "[4,5]");
    assert_string_equal(json_string_value(json_array_get(json_object_get(story, "switches"), 3)),
                        "T1 is interrupted before: write client->balance");
    expect_ending(story, "the program ends with status 1");
    json_decref(story);

    /* Where the story ends there, the accesses are still to come. */
    snapshot.told = 4;
    story = tell_json(&snapshot);
    expect_list(json_array_get(json_object_get(story, "met"), 0), "marks", "[]");
    assert_int_equal(json_integer_value(json_object_get(story, "made")), 6);
    expect_ending(story, "2 steps later: the program ends with status 1");
    json_decref(story);
    free_snapshot(&snapshot);
}

static void a_triple_is_marked_in_its_order(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    uint64_t read = site_at("test", DARN_SITE_READ), write = site_at("take", DARN_SITE_WRITE);
    uint64_t balance = address_of("savings") + 40;
    struct darn_block_met *met;
    json_t *story;

    (void)state;
    add_step(&snapshot, 1, DARN_STEP_READ, balance, read);
    add_step(&snapshot, 2, DARN_STEP_READ, balance, read)->flags = DARN_STEP_PREEMPTS;
    add_step(&snapshot, 2, DARN_STEP_WRITE, balance, write);
    met = add_met(&snapshot, DARN_MET_TRIPLE);
    met->threads[0] = (struct darn_block_thread){
        .thread = 1, .op = DARN_STEP_WRITE, .place = write, .object = balance};
    met->threads[1] = met->threads[0];
    met->threads[1].thread = 2;
    met->threads[2] = (struct darn_block_thread){
        .thread = 1, .op = DARN_STEP_READ, .place = read, .object = balance};
    add_step(&snapshot, 1, DARN_STEP_WRITE, balance, write);
    block_of(&snapshot)->result.end = DARN_END_EXIT;
    story = tell_json(&snapshot);
    expect_list(json_array_get(json_object_get(story, "met"), 0), "marks", "[3,2,0]");
    assert_int_equal(
        json_array_size(json_object_get(json_array_get(json_object_get(story, "met"), 0), "about")),
        1);
    json_decref(story);
    free_snapshot(&snapshot);
}

static void locks_are_held_from_lock_to_unlock(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    uint64_t a = address_of("a"), b = address_of("b");
    json_t *story;

    (void)state;
    add_step(&snapshot, 1, DARN_STEP_LOCK, a, call_at("one", "one-first"));
    add_step(&snapshot, 1, DARN_STEP_LOCK, a, call_at("one", "one-first")); /* it is recursive */
    add_step(&snapshot, 2, DARN_STEP_LOCK, b, call_at("other", "other-first"))->flags =
        DARN_STEP_PREEMPTS;
    add_step(&snapshot, 1, DARN_STEP_UNLOCK, a, 0);
    add_step(&snapshot, 1, DARN_STEP_LOCK, b, 0)->flags = DARN_STEP_TIMED_OUT;
    add_step(&snapshot, 1, DARN_STEP_UNLOCK, a, 0);
    add_step(&snapshot, 1, DARN_STEP_LOCK, a, 0);
    story = tell_json(&snapshot);
    expect_list(story, "locks", "[\"a\",\"b\"]");
    expect_list(story, "holds", "[0,0,0,5,1,1,2,7,0,0,6,7]");
    json_decref(story);
    free_snapshot(&snapshot);
}

static void a_trylock_counts_if_it_is_given_back(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    uint64_t a = address_of("a");
    json_t *story;

    (void)state;
    add_step(&snapshot, 1, DARN_STEP_TRYLOCK, a, 0); /* in vain: it tries again */
    add_step(&snapshot, 1, DARN_STEP_TRYLOCK, a, 0);
    add_step(&snapshot, 1, DARN_STEP_UNLOCK, a, 0);
    add_step(&snapshot, 2, DARN_STEP_TRYLOCK, a, 0); /* in vain */
    add_step(&snapshot, 3, DARN_STEP_TRYLOCK, a, 0); /* held at the end */
    hold(add_thread(&snapshot, 3, DARN_STATE_BLOCKED, DARN_STEP_LOCK, address_of("b"), 0), a, 0);
    story = tell_json(&snapshot);
    expect_list(story, "holds", "[0,0,1,2,2,0,4,5]");
    json_decref(story);
    free_snapshot(&snapshot);
}

static void a_wait_gives_its_mutex_back(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    uint64_t a = address_of("a"), ready = address_of("ready");
    json_t *story;

    (void)state;
    add_step(&snapshot, 1, DARN_STEP_LOCK, a, call_at("waiter", "waiter"));
    add_step(&snapshot, 1, DARN_STEP_WAIT, ready, call_at("waiter", "wait"));
    add_step(&snapshot, 0, DARN_STEP_SIGNAL, ready, call_at("main", "signal"));
    add_step(&snapshot, 1, DARN_STEP_WAKE, ready, 0);
    add_step(&snapshot, 1, DARN_STEP_RELOCK, a, call_at("waiter", "wait"));
    add_step(&snapshot, 1, DARN_STEP_WAIT, ready, call_at("waiter", "wait"));
    add_thread(&snapshot, 1, DARN_STATE_BLOCKED, DARN_STEP_WAIT, ready, call_at("waiter", "wait"))
        ->mutex = a;
    block_of(&snapshot)->result.end = DARN_END_DEADLOCK;
    story = tell_json(&snapshot);
    expect_list(story, "holds", "[1,0,0,1,1,0,4,5]");
    expect_ending(story, "T1 waits for ready");
    json_decref(story);
    free_snapshot(&snapshot);
}

/* A block is memory of a program that misbehaves. */
static void whatever_stands_in_the_block_holds_together(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    uint64_t random = 88172645463325252;

    (void)state;
    for (int i = 0; i < 500; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        add_step(&snapshot, (uint32_t)(random % 5), (enum darn_step_op)(random >> 8 & 63),
                 random >> 16 & 7, random >> 20 & 7 ? random >> 24 & 3 : random)
            ->flags = (uint8_t)(random >> 40);
        if (i % 50 == 0)
            add_met(&snapshot, (enum darn_met_kind)(random >> 50 & 7))->step = random >> 56;
    }
    block_of(&snapshot)->result.thread_count = 70000;
    json_decref(tell_json(&snapshot));
    block_of(&snapshot)->result.steps = 0;
    json_decref(tell_json(&snapshot));
    free_snapshot(&snapshot);
}

static void set(json_t *object, const char *key, json_int_t value)
{
    json_object_set_new(object, key, json_integer(value));
}

static void what_points_nowhere_is_not_sound(void **state)
{
    static const struct {
        const char *list;
        size_t at;
        json_int_t value;
    } faults[] = {{"steps", 0, 9},    {"steps", 1, 9}, {"steps", 0, -1}, {"steps", 2, 256},
                  {"holds", 0, 9},    {"holds", 1, 9}, {"holds", 2, 9},  {"holds", 3, 9},
                  {"switches", 0, 9}, {"locks", 0, 1}};
    struct darn_snapshot snapshot = new_snapshot();
    json_t *story, *bad;

    (void)state;
    add_step(&snapshot, 1, DARN_STEP_LOCK, address_of("a"), call_at("one", "one-first"));
    add_step(&snapshot, 2, DARN_STEP_LOCK, address_of("b"), call_at("other", "other-first"));
    block_of(&snapshot)->result.end = DARN_END_DEADLOCK;
    story = tell_json(&snapshot);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        bad = json_deep_copy(story);
        json_array_set_new(json_object_get(bad, faults[i].list), faults[i].at,
                           json_integer(faults[i].value));
        assert_false(darn_story_is_sound(bad));
        json_decref(bad);
    }
    bad = json_deep_copy(story);
    set(json_array_get(json_object_get(bad, "deeds"), 0), "place", 9);
    assert_false(darn_story_is_sound(bad));
    json_decref(bad);
    bad = json_deep_copy(story);
    set(json_array_get(json_object_get(bad, "ending"), 0), "thread", 9);
    assert_false(darn_story_is_sound(bad));
    set(bad, "version", 2);
    assert_false(darn_story_is_sound(bad));
    assert_false(darn_story_is_sound(NULL));
    json_decref(bad);
    json_decref(story);
    free_snapshot(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_race_has_its_marks_and_its_place),
        cmocka_unit_test(a_triple_is_marked_in_its_order),
        cmocka_unit_test(locks_are_held_from_lock_to_unlock),
        cmocka_unit_test(a_trylock_counts_if_it_is_given_back),
        cmocka_unit_test(a_wait_gives_its_mutex_back),
        cmocka_unit_test(whatever_stands_in_the_block_holds_together),
        cmocka_unit_test(what_points_nowhere_is_not_sound),
    };

    return cmocka_run_group_tests(tests, snapshot_build, snapshot_remove);
}
