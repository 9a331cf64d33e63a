#include "report/story/story_read.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct limits {
    size_t threads, deeds, places, locks, steps;
};

/* A number from 0 to below `limit`. */
static bool is_below(const json_t *value, size_t limit)
{
    return json_is_integer(value) && json_integer_value(value) >= 0 &&
           (uint64_t)json_integer_value(value) < limit;
}

static bool is_below_if_there(const json_t *object, const char *key, size_t limit)
{
    const json_t *value = json_object_get(object, key);

    return !value || is_below(value, limit);
}

static bool has_text(const json_t *object, const char *key)
{
    return json_is_string(json_object_get(object, key));
}

/* A list of groups, each of as many numbers as there are limits. */
static bool are_groups(const json_t *list, const size_t *below, size_t size)
{
    size_t i;
    const json_t *value;

    if (!json_is_array(list) || json_array_size(list) % size)
        return false;
    json_array_foreach(list, i, value)
    {
        if (!is_below(value, below[i % size]))
            return false;
    }
    return true;
}

static bool are_threads(const json_t *list)
{
    size_t i;
    const json_t *thread;

    json_array_foreach(list, i, thread)
    {
        if (!has_text(thread, "title"))
            return false;
    }
    return json_is_array(list);
}

static bool are_places(const json_t *list)
{
    size_t i;
    const json_t *place;

    json_array_foreach(list, i, place)
    {
        if (!has_text(place, "file") || !is_below(json_object_get(place, "line"), INT32_MAX))
            return false;
    }
    return json_is_array(list);
}

/* Deeds, lines of the ending and what somebody is about to do: a text, maybe a place and a thread.
 */
static bool are_told(const json_t *list, const struct limits *limits, const char *also)
{
    size_t i;
    const json_t *item;

    json_array_foreach(list, i, item)
    {
        if (!has_text(item, "text") || (also && !json_object_get(item, also)) ||
            !is_below_if_there(item, "place", limits->places) ||
            !is_below_if_there(item, "thread", limits->threads))
            return false;
    }
    return json_is_array(list);
}

static bool are_met(const json_t *list, const struct limits *limits)
{
    size_t i;
    const json_t *met;

    json_array_foreach(list, i, met)
    {
        const json_t *about = json_object_get(met, "about");

        if (!is_below(json_object_get(met, "step"), limits->steps + 1) || !has_text(met, "kind") ||
            !json_array_size(about) || !are_told(about, limits, "thread") ||
            !are_groups(json_object_get(met, "marks"), &limits->steps, 1))
            return false;
    }
    return json_is_array(list);
}

/* Pairs of the number of a step and a text. */
static bool are_switches(const json_t *list, const struct limits *limits)
{
    size_t i;
    const json_t *value;

    json_array_foreach(list, i, value)
    {
        if (i % 2 ? !json_is_string(value) : !is_below(value, limits->steps))
            return false;
    }
    return json_is_array(list) && json_array_size(list) % 2 == 0;
}

static bool are_texts(const json_t *list)
{
    size_t i;
    const json_t *value;

    json_array_foreach(list, i, value)
    {
        if (!json_is_string(value))
            return false;
    }
    return json_is_array(list);
}

bool darn_story_is_sound(const json_t *story)
{
    const json_t *threads = json_object_get(story, "threads");
    const json_t *deeds = json_object_get(story, "deeds");
    const json_t *places = json_object_get(story, "places");
    const json_t *locks = json_object_get(story, "locks");
    const json_t *steps = json_object_get(story, "steps");
    struct limits limits = {
        .threads = json_array_size(threads),
        .deeds = json_array_size(deeds),
        .places = json_array_size(places),
        .locks = json_array_size(locks),
        .steps = json_array_size(steps) / 3,
    };
    const size_t of_step[] = {limits.threads, limits.deeds, 256};
    const size_t of_hold[] = {limits.threads, limits.locks, limits.steps, limits.steps + 1};

    return json_integer_value(json_object_get(story, "version")) == 1 && are_threads(threads) &&
           are_places(places) && are_texts(locks) && are_told(deeds, &limits, "op") &&
           are_groups(steps, of_step, 3) &&
           are_groups(json_object_get(story, "holds"), of_hold, 4) &&
           are_switches(json_object_get(story, "switches"), &limits) &&
           are_met(json_object_get(story, "met"), &limits) &&
           are_told(json_object_get(story, "ending"), &limits, NULL) &&
           json_is_integer(json_object_get(story, "made"));
}

json_t *darn_story_read(const char *directory)
{
    char path[PATH_MAX + 16];
    json_t *story;

    snprintf(path, sizeof(path), "%s/story.json", directory);
    story = json_load_file(path, 0, NULL);
    if (story && !darn_story_is_sound(story)) {
        json_decref(story);
        story = NULL;
    }
    return story;
}
