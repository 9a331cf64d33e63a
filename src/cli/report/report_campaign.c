#include "cli/report/report_campaign.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/say.h"
#include "driver/campaign/campaign_picture.h"

bool darn_report_is_database(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char head[sizeof(magic)] = "";
    FILE *file = fopen(path, "re");

    if (file) {
        (void)!fread(head, 1, sizeof(head), file);
        fclose(file);
    }
    return memcmp(head, magic, sizeof(head)) == 0;
}

static void add_finding(void *to, const struct darn_campaign_known *known)
{
    json_t *finding = json_loads(known->json, 0, NULL);

    if (!json_is_object(finding)) {
        json_decref(finding);
        return;
    }
    json_object_set_new(finding, "test", json_string(known->test));
    json_object_set_new(finding, "found", json_integer((json_int_t)known->first));
    json_array_append_new(to, finding);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* What hunts and explorations have left beside the database, with their stories. */
static void add_hunts(struct darn_words *paths, const char *database)
{
    char directory[PATH_MAX], path[PATH_MAX + 300], state[PATH_MAX + 320];
    struct dirent **entries;
    int count;

    snprintf(directory, sizeof(directory), "%s.d", database);
    count = scandir(directory, &entries, is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name);
        snprintf(state, sizeof(state), "%s/state.json", path);
        if (access(state, R_OK) == 0)
            darn_words_add(paths, path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* 0 or an exit status. */
static int add_database(struct darn_report_campaign *campaign, const char *path)
{
    struct darn_campaign_store store;
    int status = 0;

    if (darn_campaign_store_open(&store, darn_speaker("report"), path, DARN_CAMPAIGN_LOOK, NULL))
        return DARN_EXIT_USAGE;
    json_decref(campaign->picture);
    campaign->picture = darn_campaign_picture(&store);
    if (!campaign->picture || darn_campaign_store_findings(&store, add_finding, campaign->findings))
        status = DARN_EXIT_USAGE;
    darn_campaign_store_close(&store);
    add_hunts(&campaign->paths, path);
    return status;
}

int darn_report_campaign_open(struct darn_report_campaign *campaign, char *const *paths, int count,
                              struct darn_shown *shown)
{
    int status = 0;

    *campaign = (struct darn_report_campaign){.findings = json_array()};
    snprintf(campaign->about, sizeof(campaign->about), count == 1 ? "%s" : "%s and %d more",
             count ? paths[0] : "", count - 1);
    for (int i = 0; !status && i < count; i++) {
        if (darn_report_is_database(paths[i]))
            status = add_database(campaign, paths[i]);
        else
            darn_words_add(&campaign->paths, paths[i]);
    }
    if (campaign->picture) {
        shown->about = campaign->about;
        shown->more = campaign->findings;
        shown->campaign = campaign->picture;
    }
    return status;
}

void darn_report_campaign_close(struct darn_report_campaign *campaign)
{
    darn_words_free(&campaign->paths);
    json_decref(campaign->findings);
    json_decref(campaign->picture);
}
