#include <string.h>

#include "engine/common/engine.h"

static const struct darn_engine *const engines[] = {
    &darn_engine_hb,
    &darn_engine_syncp,
    &darn_engine_hybrid,
    &darn_engine_eraser,
    &darn_engine_eraser_plus,
    &darn_engine_multilockset,
    &darn_engine_deadlock,
    &darn_engine_syncp_deadlock,
    &darn_engine_notify,
    &darn_engine_orders,
    &darn_engine_blocks,
    &darn_engine_reduction,
    &darn_engine_reduction_online,
    &darn_engine_serial,
    &darn_engine_views,
};

size_t darn_engine_count(void)
{
    return sizeof(engines) / sizeof(engines[0]);
}

const struct darn_engine *darn_engine_at(size_t index)
{
    return engines[index];
}

const struct darn_engine *darn_engine_find(const char *name)
{
    for (size_t i = 0; i < darn_engine_count(); i++) {
        if (strcmp(engines[i]->name, name) == 0)
            return engines[i];
    }
    return NULL;
}
