#include "search/search.h"

static const char *const names[DARN_SEARCHES] = {
    [DARN_SEARCH_PORTFOLIO] = "portfolio",
    [DARN_SEARCH_RANDOM] = "random",
    [DARN_SEARCH_PCT] = "pct",
    [DARN_SEARCH_POS] = "pos",
    [DARN_SEARCH_SURW] = "surw",
    [DARN_SEARCH_CHESS] = "chess",
    [DARN_SEARCH_RFF] = "rff",
    [DARN_SEARCH_HOLD] = "hold",
    [DARN_SEARCH_STATES] = "states",
};

const char *darn_search_name(enum darn_search_kind kind)
{
    return (unsigned)kind < DARN_SEARCHES ? names[kind] : NULL;
}
