/* Recording and learning: an access is noted, and nobody waits for others to come. */
#include <stddef.h>

#include "runtime/os/os.h"
#include "runtime/record/heat.h"
#include "runtime/record/record_profile.h"
#include "runtime/record/record.h"
#include "runtime/record/share.h"
#include "runtime/spin/spins.h"
#include "runtime/watch/annotate.h"
#include "runtime/watch/hook_modes.h"
#include "runtime/watch/noise_inject.h"
#include "runtime/watch/sites.h"

/* Whether it is of interest. Delays have no window here: nobody watches. */
static bool is_noted(struct darn_thread *thread, const struct darn_touch *touch)
{
    uint64_t noise = 0;

    if (thread->ignore || touch->assertion)
        return false;
    if (darn_state.options.noise_count && touch->site)
        noise = darn_noise_at_site(thread, touch->site);
    if (noise)
        darn_os_sleep(noise);
    return !touch->site || darn_heat_count(thread, touch->site, touch->address);
}

/* ---- learning ---- */

static void learn(struct darn_thread *thread, const struct darn_touch *touch)
{
    bool writes = touch->op != DARN_OP_READ;

    if (!is_noted(thread, touch) || !touch->site)
        return;
    /* Tian 3.2: an atomic operation may be the other half of what a plain store ends. */
    if (touch->atomic && touch->op != DARN_OP_WRITE)
        darn_spins_suspect(thread, touch->address, touch->site);
    if (writes) {
        darn_spins_hold_suspect(thread, touch);
        darn_spins_store(thread, touch);
    }
    darn_share_access(thread, touch->address, touch->size, touch->site, writes);
}

static void learn_access(struct darn_thread *thread, const struct darn_touch *touch,
                         const void *frame)
{
    darn_hook_heal(thread, touch, frame);
    if (!darn_benign(touch)) {
        if (thread->spinning)
            darn_spins_leave(thread);
        learn(thread, touch);
    }
    darn_hook_linger(thread);
}

static void learn_spin(struct darn_thread *thread, const struct darn_touch *touch,
                       const void *frame)
{
    darn_hook_heal(thread, touch, frame);
    darn_hook_linger(thread);
    if (darn_spins_read(thread, touch->address, touch->site) && !darn_benign(touch))
        learn(thread, touch);
}

/* ---- recording ---- */

/* What a profile says of a site that is to be recorded. */
#define RECORDED                                                                                   \
    (DARN_ARMED_RECORD | DARN_ARMED_SYNC_READ | DARN_ARMED_SYNC_WRITE | DARN_ARMED_SUSPECT)

/* A site that the profile does not name comes by when it touches one of the chosen lines. */
static bool is_recorded(const struct darn_site *site)
{
    return darn_armed(site) & RECORDED || site->flags & DARN_SITE_SPIN ||
           darn_site_is_marked(darn_site_number(site));
}

static void record(struct darn_thread *thread, const struct darn_touch *touch, const void *frame)
{
    const struct darn_site *site = touch->site;
    bool sync;

    if (!is_noted(thread, touch))
        return;
    sync = touch->op != DARN_OP_READ && darn_spins_store(thread, touch);
    if (!darn_recording || !site)
        return;
    if (sync || is_recorded(site))
        darn_record_access(thread, touch->address, touch->size, site, sync, frame);
    if (site->flags & DARN_SITE_POINTER && darn_site_writes(site))
        darn_record_pointer(thread, touch->address, touch->value, frame);
}

static void record_access(struct darn_thread *thread, const struct darn_touch *touch,
                          const void *frame)
{
    darn_hook_heal(thread, touch, frame);
    if (!darn_benign(touch)) {
        if (thread->spinning)
            darn_spins_leave(thread);
        record(thread, touch, frame);
    }
    darn_hook_linger(thread);
}

static void record_spin(struct darn_thread *thread, const struct darn_touch *touch,
                        const void *frame)
{
    darn_hook_heal(thread, touch, frame);
    darn_hook_linger(thread);
    darn_spins_read(thread, touch->address, touch->site);
    if (!darn_benign(touch))
        record(thread, touch, frame);
}

/* ---- which sites shall call ---- */

/* Arms all sites that have one of the flags, or all. */
static void arm(const struct darn_site *start, const struct darn_site *stop, uint16_t flags)
{
    for (const struct darn_site *site = start; site < stop; site++) {
        if (site->kind >= DARN_SITE_LEAVE || site->flags & DARN_SITE_EXTRA)
            continue; /* for sections only */
        if (site->flags & flags || !flags)
            darn_armed_add(site, DARN_ARMED_RECORD);
    }
}

/* Of the others, those that store pointers: they may hand out what is shared. */
static void arm_pointers(const struct darn_site *start, const struct darn_site *stop)
{
    for (const struct darn_site *site = start; site < stop; site++) {
        if (darn_site_writes(site) && site->flags & DARN_SITE_POINTER &&
            !(site->flags & DARN_SITE_EXTRA))
            darn_armed_add(site, DARN_ARMED_POINTER);
    }
}

/* Which sites are recorded is remembered apart from the armed byte: hot ones are disarmed. */
static void mark_armed(const struct darn_site *start, const struct darn_site *stop)
{
    for (const struct darn_site *site = start; site < stop; site++) {
        if (darn_armed(site) & DARN_ARMED_RECORD)
            darn_site_mark(darn_site_number(site));
    }
}

static void learn_load(const struct darn_site *start, const struct darn_site *stop)
{
    if (darn_state.options.profile[0])
        darn_profile_module(start, stop);
    if (darn_state.options.trace_what != DARN_TRACE_SYNC)
        arm(start, stop, 0);
}

static void record_load(const struct darn_site *start, const struct darn_site *stop)
{
    const struct darn_options *options = &darn_state.options;
    bool all = options->trace_what == DARN_TRACE_ALL || !options->profile[0];

    if (options->profile[0])
        darn_profile_module(start, stop);
    if (options->trace_what == DARN_TRACE_SYNC)
        return;
    /* Atomic operations synchronize, also with code that nobody sees. */
    arm(start, stop, all ? 0 : DARN_SITE_ATOMIC);
    arm_pointers(start, stop);
    mark_armed(start, stop);
}

const struct darn_mode_hooks darn_learn_hooks = {
    .access = learn_access, .spin = learn_spin, .load = learn_load};

const struct darn_mode_hooks darn_record_hooks = {
    .access = record_access, .spin = record_spin, .load = record_load};
