/* The steps that a story is about: the accesses of what was met. */
#include "report/story/snapshot_story.h"

static bool is_step_of(const struct darn_step *step, const struct darn_block_thread *thread)
{
    return step->thread == thread->thread && step->place == thread->place &&
           step->object == thread->object;
}

size_t darn_story_marks(const struct darn_story *story, const struct darn_block_met *met,
                        uint64_t marks[DARN_STORY_MARKS])
{
    int accesses = met->kind == DARN_MET_TRIPLE ? 3 : met->kind == DARN_MET_QUAD ? 4 : 2;
    uint64_t before = met->step < story->told ? met->step : story->told;
    size_t count = 0;

    for (int i = 0; i < accesses; i++) {
        bool is_next = i == 0 || met->kind == DARN_MET_RACE;
        uint64_t at = met->step;

        if (is_next) {
            while (at < story->told && !is_step_of(&story->steps[at], &met->threads[i]))
                at++;
            if (at < story->told)
                marks[count++] = at;
            continue;
        }
        while (before && !is_step_of(&story->steps[before - 1], &met->threads[i]))
            before--;
        if (before)
            marks[count++] = --before;
    }
    return count;
}

bool darn_story_met_before(const struct darn_story *story, uint32_t index)
{
    const struct darn_block_met *all = story->snapshot->block->result.met, *met = &all[index];

    for (uint32_t i = 0; i < index; i++)
        if (all[i].threads[0].place == met->threads[0].place &&
            all[i].threads[1].place == met->threads[1].place)
            return true;
    return false;
}

void darn_story_mark(struct darn_story *story)
{
    const struct darn_result *result = &story->snapshot->block->result;

    story->marked = darn_pool_get(&story->pool, story->count + 1, sizeof(*story->marked));
    for (uint32_t i = 0; i < result->met_count && i < DARN_BLOCK_MET; i++) {
        const struct darn_block_met *met = &result->met[i];
        uint64_t marks[DARN_STORY_MARKS];
        size_t count;

        if (met->step > story->told)
            continue;
        story->marked[met->step] = true; /* right before it stands the line that says so */
        count = darn_story_met_before(story, i) ? 0 : darn_story_marks(story, met, marks);
        for (size_t j = 0; j < count; j++)
            story->marked[marks[j]] = true;
    }
}
