#include "driver/explore/explore_options.h"

const char *const darn_explore_points_names[] = {
    [DARN_POINTS_SHARED] = "shared",
    [DARN_POINTS_SYNC] = "sync",
    [DARN_POINTS_ALL] = "all",
};
