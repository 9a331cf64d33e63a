/* The story of a schedule for a trace viewer: a track for each thread (trace/perfetto.h). */
#ifndef DARN_REPORT_STORY_TRACKS_H
#define DARN_REPORT_STORY_TRACKS_H

#include <stdio.h>

/* Of DIRECTORY/story.json. 0, or -EINVAL when that is no story. */
int darn_story_tracks(const char *directory, FILE *out);

#endif
