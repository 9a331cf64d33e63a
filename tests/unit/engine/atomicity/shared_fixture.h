/* What the tests of shared places have in common. */
#ifndef DARN_TESTS_SHARED_FIXTURE_H
#define DARN_TESTS_SHARED_FIXTURE_H

#include "engine_fixture.h"

#include "engine/atomicity/shared.h"

#define X UINT64_C(0x1000)
#define L UINT64_C(0x2000)
#define S UINT64_C(0x3000)

static inline struct darn_shared_place itself(void *context, uint32_t site)
{
    (void)context;
    return (struct darn_shared_place){.number = site, .harm = DARN_ALLOW_ALL};
}

static inline struct darn_shared *start_shared(void)
{
    struct darn_shared *shared = darn_shared_create(itself, NULL, DARN_ALLOW_ALL);

    assert_non_null(shared);
    return shared;
}

static inline bool has(const struct darn_shared *shared, uint32_t site)
{
    return darn_shared_by(shared, site) != 0;
}

static inline void give_shared(struct darn_shared *shared, struct darn_event event)
{
    darn_shared_event(shared, &event);
}

#endif
