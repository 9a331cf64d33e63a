/*
 * The story of a finding, from the file that was written beside its schedule
 * (docs/story-format.md).
 */
#ifndef DARN_REPORT_STORY_READ_H
#define DARN_REPORT_STORY_READ_H

#include <jansson.h>
#include <stdbool.h>

/* DIRECTORY/story.json. NULL when there is none, or none that holds together: every number in it
 * that points somewhere points into it. */
json_t *darn_story_read(const char *directory);

/* The same for an object that was read. */
bool darn_story_is_sound(const json_t *story);

#endif
