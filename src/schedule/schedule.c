#include "schedule/schedule.h"

#include <stdlib.h>

static void free_list(char **list)
{
    for (char **one = list; one && *one; one++)
        free(*one);
    free(list);
}

void darn_schedule_free(struct darn_schedule *schedule)
{
    if (!schedule)
        return;
    free(schedule->program);
    free(schedule->directory);
    free_list(schedule->arguments);
    free_list(schedule->environment);
    free(schedule->input);
    for (size_t i = 0; i < schedule->module_count; i++)
        free(schedule->modules[i]);
    free(schedule->modules);
    free(schedule->armed);
    free(schedule->aims);
    free(schedule->inputs);
    free(schedule->steps);
    free(schedule->ending);
    free(schedule);
}
