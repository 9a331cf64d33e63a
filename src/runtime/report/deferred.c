#include "runtime/report/deferred.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "runtime/os/os_spin.h"
#include "runtime/report/crash.h"
#include "runtime/report/found_cause.h"
#include "runtime/watch/watch.h"

#define DEFERRED 32

static struct {
    bool used;
    uint64_t due;
    struct darn_race race;
    struct darn_side first, second;
} deferred[DEFERRED];
static struct darn_spin lock; /* protects the above; taken with signals blocked */
static bool has_any;

bool darn_deferred_any(void)
{
    return has_any;
}

static bool is_same(const struct darn_race *a, const struct darn_race *b)
{
    uintptr_t first = darn_side_place(a->first), second = darn_side_place(a->second);

    return (first == darn_side_place(b->first) && second == darn_side_place(b->second)) ||
           (first == darn_side_place(b->second) && second == darn_side_place(b->first));
}

bool darn_deferred_add(const struct darn_race *race, uint64_t due)
{
    bool done = false;

    darn_crash_watch();
    darn_spin_lock(&lock);
    for (int i = 0; i < DEFERRED && !done; i++) {
        if (deferred[i].used && is_same(&deferred[i].race, race) &&
            (race->is_predicted || !deferred[i].race.is_predicted)) {
            done = true;
        } else if (!deferred[i].used) {
            deferred[i].used = done = has_any = true;
            deferred[i].due = due;
            deferred[i].race = *race;
            deferred[i].first = *race->first;
            deferred[i].second = *race->second;
            deferred[i].race.first = &deferred[i].first;
            deferred[i].race.second = &deferred[i].second;
        }
    }
    darn_spin_unlock(&lock);
    return done;
}

void darn_deferred_drop_predicted(const struct darn_race *race)
{
    darn_spin_lock(&lock);
    for (int i = 0; i < DEFERRED; i++) {
        if (deferred[i].used && deferred[i].race.is_predicted && is_same(&deferred[i].race, race))
            deferred[i].used = false;
    }
    darn_spin_unlock(&lock);
}

void darn_deferred_drop(bool (*is_none)(const struct darn_race *race))
{
    darn_spin_lock(&lock);
    for (int i = 0; i < DEFERRED; i++) {
        if (deferred[i].used && is_none(&deferred[i].race))
            deferred[i].used = false;
    }
    darn_spin_unlock(&lock);
}

bool darn_deferred_take(uint64_t time, struct darn_race *race, struct darn_side sides[2])
{
    bool found = false;

    darn_spin_lock(&lock);
    for (int i = 0; i < DEFERRED && !found; i++) {
        if (!deferred[i].used || deferred[i].due > time)
            continue;
        found = true;
        deferred[i].used = false;
        *race = deferred[i].race;
        sides[0] = deferred[i].first;
        sides[1] = deferred[i].second;
        race->first = &sides[0];
        race->second = &sides[1];
    }
    darn_spin_unlock(&lock);
    return found;
}

void darn_deferred_after_fork(void)
{
    memset(deferred, 0, sizeof(deferred));
    darn_spin_unlock(&lock);
}
