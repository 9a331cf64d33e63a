/*
 * Predictions that the user brings along (--predicted), and what darn run has observed: in other
 * runs, which the one that the hunt records need not show.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/grow.h"
#include "driver/hunt/hunt.h"
#include "report/raw.h"

static struct darn_finding *find_known(const struct darn_hunt *hunt, const char *id)
{
    for (size_t i = 0; i < hunt->predicted.count; i++)
        if (strcmp(hunt->predicted.items[i].finding->id, id) == 0)
            return hunt->predicted.items[i].finding;
    return NULL;
}

/* A race of unknown origin has one side only. */
static bool has_sides(const struct darn_finding *finding)
{
    return finding->access_count > (darn_finding_is(finding, "data-race") ? 1 : 0);
}

/* What can be aimed at: the transactions of an atomicity violation are not in the file. */
static bool is_wanted(const struct darn_hunt *hunt, const struct darn_finding *finding)
{
    if (!finding->id || !finding->engine || !has_sides(finding) ||
        !(darn_finding_is_predicted(finding) || darn_finding_is_observed(finding)))
        return false;
    if (hunt->suppressions && darn_suppressions_match(hunt->suppressions, finding))
        return false;
    return darn_finding_is(finding, "data-race") || darn_finding_is(finding, "deadlock") ||
           darn_finding_is(finding, "notification") || darn_finding_is(finding, "order-violation");
}

static void take_prediction(struct darn_hunt *hunt, struct darn_finding *finding)
{
    struct darn_verdicts *predicted = &hunt->predicted;
    struct darn_finding *known =
        finding && is_wanted(hunt, finding) ? find_known(hunt, finding->id) : NULL;

    if (known && darn_finding_is_observed(finding))
        known->certainty = "observed";
    if (!finding || known || !is_wanted(hunt, finding)) {
        darn_finding_free(finding);
        return;
    }
    predicted->items = darn_grow(predicted->items, &predicted->room, predicted->count + 1,
                                 sizeof(*predicted->items));
    predicted->items[predicted->count++] = (struct darn_verdict){.finding = finding};
}

int darn_hunt_bring(struct darn_hunt *hunt)
{
    const char *path = hunt->options.predicted;
    FILE *file = path ? fopen(path, "r") : NULL;
    char error[1024];

    if (!path)
        return 0;
    if (!file)
        return darn_tell_refusal(hunt->listener, "predicted: %s: %s", path, strerror(errno));
    hunt->brought = darn_raw_lines(file, path, error, sizeof(error));
    fclose(file);
    return hunt->brought ? 0 : darn_tell_refusal(hunt->listener, "predicted: %s", error);
}

void darn_hunt_add_brought(struct darn_hunt *hunt)
{
    for (size_t i = 0; i < json_array_size(hunt->brought); i++)
        take_prediction(hunt, darn_finding_reported(json_array_get(hunt->brought, i)));
}
