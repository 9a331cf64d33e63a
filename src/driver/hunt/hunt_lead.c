/*
 * The schedules that races are predicted with: the first two trials play them, in either order of
 * the two accesses. What they cannot show, the other trials may.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "driver/analysis/places.h"
#include "driver/hunt/hunt.h"
#include "engine/race/lead.h"

#define LOOK_EVERY 4096

/* A longer one would take longer than the trials. */
#define LONGEST 65536

static enum darn_step_op op_of(const struct darn_lead_step *step)
{
    bool is_lock = step->lock == DARN_EVENT_MUTEX || step->lock == DARN_EVENT_SPINLOCK;

    switch (step->kind) {
    case DARN_EVENT_ACQUIRE:
        return is_lock                           ? DARN_STEP_LOCK
               : step->lock == DARN_EVENT_RDLOCK ? DARN_STEP_READLOCK
                                                 : DARN_STEP_WRITELOCK;
    case DARN_EVENT_RELEASE:
        return is_lock ? DARN_STEP_UNLOCK : DARN_STEP_RWUNLOCK;
    case DARN_EVENT_FORK:
        return DARN_STEP_CREATE;
    case DARN_EVENT_JOIN:
        return DARN_STEP_JOIN;
    case DARN_EVENT_ARRIVE:
        return DARN_STEP_BARRIER;
    case DARN_EVENT_WAIT:
        return DARN_STEP_WAIT;
    case DARN_EVENT_SIGNAL:
        return DARN_STEP_SIGNAL;
    case DARN_EVENT_BROADCAST:
        return DARN_STEP_BROADCAST;
    case DARN_EVENT_POST:
        return DARN_STEP_POST;
    case DARN_EVENT_TAKE:
        return DARN_STEP_TAKE;
    default:
        return DARN_STEP_NONE;
    }
}

static bool wants_lead(const struct darn_target *target)
{
    return target->kind == DARN_TARGET_RACE && !target->settled &&
           target->finding->access_count == 2 && target->finding->accesses[0].site_key &&
           target->finding->accesses[1].site_key;
}

/* Each copy of a site counts. */
static void ask(struct darn_leads *leads, const struct darn_hunt *hunt,
                const struct darn_trace *trace)
{
    for (size_t i = 0; i < hunt->target_count; i++) {
        const struct darn_target *target = &hunt->targets[i];

        for (uint32_t id = 1; wants_lead(target) && id <= darn_trace_site_count(trace); id++) {
            const struct darn_trace_site *site = darn_trace_site(trace, id);

            for (uint32_t side = 0; site && side < 2; side++)
                if (site->key == target->finding->accesses[side].site_key)
                    darn_leads_site(leads, i, side, id);
        }
    }
}

static void keep(struct darn_target *target, const struct darn_lead *lead)
{
    if (target->lead || !lead->count || lead->count > LONGEST)
        return;
    target->lead = darn_need_zeroed(lead->count, sizeof(*target->lead));
    target->lead_count = (uint32_t)lead->count;
    for (size_t i = 0; i < lead->count; i++)
        target->lead[i] = (struct darn_step){.thread = lead->steps[i].thread,
                                             .op = (uint8_t)op_of(&lead->steps[i]),
                                             .flags = lead->steps[i].side,
                                             .object = lead->steps[i].visits};
}

static void read_leads(struct darn_hunt *hunt, struct darn_trace *trace,
                       const struct darn_places *places, double until)
{
    struct darn_engine_config config = {.ignore_sync = hunt->options.report_spins,
                                        .reads_too = darn_places_reads_too,
                                        .context = places};
    struct darn_leads *leads[2]; /* what is never wrong comes first */
    struct darn_event event;

    for (int i = 0; i < 2; i++)
        leads[i] = darn_leads_create(&config, hunt->target_count, i);
    if (leads[0] && leads[1]) {
        ask(leads[0], hunt, trace);
        ask(leads[1], hunt, trace);
    }
    for (uint64_t i = 0; leads[0] && leads[1] && darn_trace_next(trace, &event) == 1; i++) {
        darn_leads_event(leads[0], &event);
        darn_leads_event(leads[1], &event);
        if (i % LOOK_EVERY == 0 && darn_clock() > until)
            break;
    }
    for (size_t i = 0; leads[0] && leads[1] && i < 2 * hunt->target_count; i++)
        if (wants_lead(&hunt->targets[i / 2]))
            keep(&hunt->targets[i / 2], darn_leads_get(leads[i % 2], i / 2));
    darn_leads_destroy(leads[0]);
    darn_leads_destroy(leads[1]);
}

void darn_hunt_leads(struct darn_hunt *hunt, const char *path, double until)
{
    char error[512];
    struct darn_trace *trace = darn_trace_open(path, true, error, sizeof(error));
    struct darn_places places = {0};

    if (!trace)
        return;
    darn_places_make(&places, trace);
    read_leads(hunt, trace, &places, until);
    darn_places_free(&places);
    darn_trace_close(trace);
}

/* Of the trials that are made with a lead there is one for each order. */
#define LED_TRIALS 2

void darn_hunt_lead(const struct darn_target *target, struct darn_player *player, uint32_t trial)
{
    struct darn_plan *plan = &player->block->request.plan;

    if (!target->lead_count || trial >= LED_TRIALS)
        return;
    memcpy(player->block->follow, target->lead, target->lead_count * sizeof(*target->lead));
    plan->lead_count = target->lead_count;
}
