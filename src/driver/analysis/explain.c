#include "driver/analysis/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"

void darn_explain_free(struct darn_explain *explain)
{
    free(explain->origins);
    *explain = (struct darn_explain){NULL, 0, 0};
}

void darn_explain_note(struct darn_explain *explain, size_t verdict, size_t entry,
                       size_t prediction)
{
    if (verdict != explain->count)
        return; /* another engine has said it first */
    if (explain->count == explain->room) {
        size_t room = explain->room ? 2 * explain->room : 64;
        void *origins = realloc(explain->origins, room * sizeof(*explain->origins));

        if (!origins)
            return;
        explain->origins = origins;
        explain->room = room;
    }
    explain->origins[explain->count++] =
        (struct darn_explain_origin){(uint32_t)entry, (uint32_t)prediction};
}

int64_t darn_explain_choose(const char *name, const struct darn_verdicts *verdicts,
                            struct darn_suppressions *suppressions, bool sure_first)
{
    uint64_t number = 0, seen = 0;
    bool is_number = darn_number_parse(name, strlen(name), &number);

    for (size_t i = 0; i < verdicts->count; i++) {
        const char *id = verdicts->items[i].finding->id;

        if (id && strcmp(id, name) == 0)
            return (int64_t)i;
    }
    for (size_t i = 0; is_number && i < verdicts->count; i++) {
        const struct darn_finding *finding = verdicts->items[i].finding;

        if ((suppressions && darn_suppressions_match(suppressions, finding)) ||
            (sure_first && darn_verdict_is_suspicion(finding)))
            continue;
        if (++seen == number)
            return (int64_t)i;
    }
    return -1;
}
