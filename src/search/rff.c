#include "search/rff.h"

#include "base/random.h"

#define WISHES 8     /* of one plan */
#define CORPUS 4096  /* entries; then random ones are replaced */
#define PAIRS  65536 /* that are wished for by themselves */
#define ROUNDS 2     /* wishes for a pair that does not come true */

struct entry {
    struct darn_aim aims[WISHES];
    uint32_t count;
    uint64_t combination; /* the pairs of the run that was kept */
};

struct pair {
    uint64_t read, write;
};

struct listed {
    uint8_t reads, writes;
    bool initial;
};

void darn_rff_free(struct darn_rff *rff)
{
    darn_array_free(&rff->corpus);
    darn_array_free(&rff->pairs);
    darn_array_free(&rff->listed);
    darn_map_free(&rff->known);
}

static void list_pair(struct darn_rff *rff, uint64_t read, uint64_t write)
{
    bool added;
    struct pair *pair;

    if (rff->pairs.count >= PAIRS)
        return;
    darn_map_at(&rff->known, darn_coverage_pair(read, write), &added);
    if (!added)
        return;
    pair = darn_array_add(&rff->pairs, sizeof(*pair));
    *pair = (struct pair){read, write};
}

static void list_object(struct darn_rff *rff, const struct darn_known_object *object,
                        struct listed *done)
{
    for (uint8_t r = 0; r < object->read_count; r++) {
        if (r >= done->reads)
            list_pair(rff, object->reads[r], 0);
        for (uint8_t w = 0; w < object->write_count; w++) {
            if (r >= done->reads || w >= done->writes)
                list_pair(rff, object->reads[r], object->writes[w]);
        }
    }
    done->reads = object->read_count;
    done->writes = object->write_count;
}

/* The pairs of what has become known since the last time; those of memory before those of locks. */
static void list_new(struct darn_rff *rff, const struct darn_know *know)
{
    if (rff->listed_runs == know->runs)
        return;
    darn_array_reach(&rff->listed, know->objects.count, sizeof(struct listed));
    rff->listed_runs = know->runs;
    for (int memory = 1; memory >= 0; memory--) {
        for (size_t i = 0; i < know->objects.count; i++) {
            const struct darn_known_object *object = darn_know_object(know, i);

            if (object->memory == (memory != 0) && darn_know_conflicts(object))
                list_object(rff, object, (struct listed *)rff->listed.at + i);
        }
    }
}

/* The next pair that no run has shown; false when all were tried. */
static bool next_unseen(struct darn_rff *rff, const struct darn_coverage *coverage,
                        struct pair *found)
{
    const struct pair *pairs = rff->pairs.at;

    while (rff->at < rff->pairs.count || rff->rounds + 1 < ROUNDS) {
        if (rff->at >= rff->pairs.count) {
            rff->at = 0;
            rff->rounds++;
            continue;
        }
        *found = pairs[rff->at++];
        if (!darn_coverage_has(coverage, found->read, found->write))
            return true;
    }
    return false;
}

/* Of a few, the one whose combination of pairs has been seen least. */
static const struct entry *choose_entry(struct darn_rff *rff, const struct darn_coverage *coverage)
{
    const struct entry *corpus = rff->corpus.at, *best = NULL;
    uint32_t fewest = UINT32_MAX;

    for (int i = 0; i < 4 && rff->corpus.count; i++) {
        const struct entry *entry =
            &corpus[darn_random_below(&rff->random, (uint32_t)rff->corpus.count)];
        uint32_t times = darn_map_get(&coverage->combinations, entry->combination, 0);

        if (!best || times < fewest) {
            best = entry;
            fewest = times;
        }
    }
    return best;
}

static void wish(struct darn_plan *plan, uint32_t at, uint64_t read, uint64_t write, bool not_that)
{
    plan->aims[at] = (struct darn_aim){
        .kind = not_that ? DARN_AIM_READS_NOT : DARN_AIM_READS, .place = read, .other = write};
    if (at >= plan->aim_count)
        plan->aim_count = at + 1;
}

static void copy_entry(struct darn_plan *plan, const struct entry *entry)
{
    for (uint32_t i = 0; entry && i < entry->count; i++)
        plan->aims[plan->aim_count++] = entry->aims[i];
}

/* One wish more, another one, one less, or its opposite. */
static void mutate(struct darn_rff *rff, struct darn_plan *plan)
{
    const struct pair *pair = (const struct pair *)rff->pairs.at +
                              darn_random_below(&rff->random, (uint32_t)rff->pairs.count);
    uint32_t how = darn_random_below(&rff->random, 8);
    uint32_t at = plan->aim_count ? darn_random_below(&rff->random, plan->aim_count) : 0;
    bool not_that = darn_random_below(&rff->random, 4) == 0;

    if (plan->aim_count == 0 || (how < 4 && plan->aim_count < WISHES))
        wish(plan, plan->aim_count, pair->read, pair->write, not_that);
    else if (how < 6)
        wish(plan, at, pair->read, pair->write, not_that);
    else if (how == 6)
        plan->aims[at] = plan->aims[--plan->aim_count];
    else
        plan->aims[at].kind ^= DARN_AIM_READS ^ DARN_AIM_READS_NOT;
}

bool darn_rff_next(struct darn_rff *rff, const struct darn_know *know,
                   const struct darn_coverage *coverage, struct darn_task *task)
{
    struct darn_plan *plan = &task->plan;
    struct pair pair;

    list_new(rff, know);
    if (!rff->pairs.count)
        return false;
    plan->kind = DARN_STRATEGY_AIM;
    if (next_unseen(rff, coverage, &pair)) {
        /* The second time round together with what has led elsewhere before. */
        if (rff->rounds)
            copy_entry(plan, choose_entry(rff, coverage));
        if (plan->aim_count == WISHES)
            plan->aim_count--;
        wish(plan, plan->aim_count, pair.read, pair.write, false);
        return true;
    }
    copy_entry(plan, choose_entry(rff, coverage));
    do
        mutate(rff, plan);
    while (darn_random_below(&rff->random, 2));
    return true;
}

static struct entry *new_entry(struct darn_rff *rff)
{
    if (rff->corpus.count < CORPUS)
        return darn_array_add(&rff->corpus, sizeof(struct entry));
    return (struct entry *)rff->corpus.at + darn_random_below(&rff->random, CORPUS);
}

void darn_rff_tell(struct darn_rff *rff, const struct darn_coverage *coverage,
                   const struct darn_task *task)
{
    struct entry *entry;

    /* A combination that was never seen counts as well, but only of wishes of our own: any random
     * run of a larger program has one. */
    bool own = task->strategy == DARN_SEARCH_RFF;
    bool rare = darn_map_get(&coverage->combinations, coverage->combination, 0) == 1;

    if (!coverage->new_reads && !(own && rare))
        return;
    entry = new_entry(rff);
    entry->combination = coverage->combination;
    entry->count = 0;
    for (uint32_t i = 0; own && i < task->plan.aim_count && i < WISHES; i++)
        entry->aims[entry->count++] = task->plan.aims[i];
    for (uint32_t i = 0; i < coverage->new_reads && i < DARN_COVERAGE_FRESH; i++) {
        if (entry->count < WISHES / 2)
            entry->aims[entry->count++] = (struct darn_aim){.kind = DARN_AIM_READS,
                                                            .place = coverage->fresh[i].read,
                                                            .other = coverage->fresh[i].write};
    }
}
