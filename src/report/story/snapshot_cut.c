/*
 * What a story leaves out when it is too long for a screen. Kept first are the steps that it is
 * about and the last one, then what stands next to these, then how it begins.
 */
#include "report/story/snapshot_story.h"

#define FAR UINT32_MAX

static bool is_anchor(const struct darn_story *story, size_t row)
{
    const struct darn_row *it = &story->rows.list[row];

    return row + 1 == story->rows.count || it->kind == DARN_ROW_MET ||
           (it->kind == DARN_ROW_STEP && story->marked[it->step]);
}

/* How far each row is from what is kept first. The beginning counts half. */
static uint32_t *rank_rows(struct darn_story *story)
{
    size_t count = story->rows.count;
    uint32_t *ranks = darn_pool_get(&story->pool, count, sizeof(*ranks)), far = FAR;

    for (size_t i = count; i--;) {
        far = is_anchor(story, i) ? 0 : far == FAR ? FAR : far + 1;
        ranks[i] = far;
    }
    far = FAR;
    for (size_t i = 0; i < count; i++) {
        far = is_anchor(story, i) ? 0 : far == FAR ? FAR : far + 1;
        ranks[i] = far < ranks[i] ? far : ranks[i];
        ranks[i] = 2 * i + 1 < ranks[i] ? (uint32_t)(2 * i + 1) : ranks[i];
    }
    return ranks;
}

/* Keeps the rows of this rank, the last ones first, as long as there is room for them. A row whose
 * neighbours are left out needs two lines: another gap begins. Returns how many lines there are. */
static unsigned keep_rank(const uint32_t *ranks, bool *keeps, size_t count, uint32_t rank,
                          unsigned lines, unsigned most)
{
    for (size_t i = count; i--;) {
        bool after = i + 1 == count || keeps[i + 1], before = i == 0 || keeps[i - 1];
        unsigned more = after && before ? 0 : after || before ? 1 : 2;

        if (ranks[i] != rank || lines + more > most)
            continue;
        keeps[i] = true;
        lines += more;
    }
    return lines;
}

static void leave_out(struct darn_row *cut, const struct darn_row *row)
{
    cut->times += row->times;
    cut->switches += row->switches + (row->kind == DARN_ROW_SWITCH);
}

void darn_story_cut(struct darn_story *story, unsigned most)
{
    struct darn_rows *rows = &story->rows;
    const uint32_t *ranks = rank_rows(story);
    bool *keeps = darn_pool_get(&story->pool, rows->count, sizeof(*keeps));
    unsigned lines = 1; /* the one gap that everything is in */
    size_t kept = 0;

    for (uint32_t rank = 0; rank <= 2 * most; rank++)
        lines = keep_rank(ranks, keeps, rows->count, rank, lines, most);
    for (size_t i = 0; i < rows->count;) {
        struct darn_row cut = {.kind = DARN_ROW_CUT};

        if (keeps[i]) {
            rows->list[kept++] = rows->list[i++];
            continue;
        }
        while (i < rows->count && !keeps[i])
            leave_out(&cut, &rows->list[i++]);
        rows->list[kept++] = cut;
    }
    rows->count = kept;
}
