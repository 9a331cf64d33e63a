#include "cli/campaign/campaign_news.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/say.h"
#include "driver/process/private.h"
#include "report/export/export.h"
#include "report/export/sarif.h"
#include "report/raw.h"

#define COMMAND "campaign run"

static void note_known(void *context, const struct darn_campaign_known *known)
{
    darn_words_add(&((struct darn_campaign_news *)context)->known, known->id);
}

static void put_line(void *file, const struct darn_campaign_known *known)
{
    fprintf(file, "%s\n", known->json);
}

static bool is_database(const char *path)
{
    char head[16] = "";
    FILE *file = fopen(path, "re");

    if (file) {
        (void)!fread(head, 1, sizeof(head), file);
        fclose(file);
    }
    return memcmp(head, "SQLite format 3", sizeof(head)) == 0;
}

/* Its findings as JSON Lines, in a file of ours. 0 or an exit status. */
static int unpack(const char *database, char *path, size_t size)
{
    struct darn_listener *speaker = darn_speaker(COMMAND);
    struct darn_campaign_store store;
    FILE *file;

    if (darn_private_file(speaker, "baseline.jsonl", path, size) ||
        darn_campaign_store_open(&store, speaker, database, DARN_CAMPAIGN_LOOK, NULL))
        return DARN_EXIT_USAGE;
    file = fopen(path, "we");
    if (file) {
        darn_campaign_store_findings(&store, put_line, file);
        fclose(file);
    }
    darn_campaign_store_close(&store);
    return file ? 0 : DARN_EXIT_USAGE;
}

/* Its ids: a finding without places, such as a test that fails, has no shape to be known by. */
static void note_ids(struct darn_campaign_news *news, const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;

    while (file && getline(&line, &size, file) > 0) {
        json_t *object = json_loads(line, 0, NULL);
        const char *id = json_string_value(json_object_get(object, "id"));

        if (id)
            darn_words_add(&news->known, id);
        json_decref(object);
    }
    free(line);
    if (file)
        fclose(file);
}

int darn_campaign_news_begin(struct darn_campaign_news *news, struct darn_campaign_store *store,
                             const char *baseline)
{
    char unpacked[PATH_MAX], error[1024];
    const char *path = baseline;
    int status = 0;

    *news = (struct darn_campaign_news){0};
    darn_campaign_store_findings(store, note_known, news);
    if (!baseline)
        return 0;
    if (is_database(baseline)) {
        status = unpack(baseline, unpacked, sizeof(unpacked));
        path = unpacked;
    }
    if (status)
        return status;
    if (darn_collection_read(&news->baseline, path, error, sizeof(error)))
        return darn_refuse(COMMAND, "--baseline: %s", error);
    note_ids(news, path);
    return 0;
}

static bool is_known(const struct darn_campaign_news *news, const char *id,
                     const struct darn_finding *finding)
{
    for (size_t i = 0; i < news->known.count; i++)
        if (strcmp(news->known.items[i], id) == 0)
            return true;
    return darn_collection_has(&news->baseline, finding);
}

/* FILE:LINE: of its first access. */
static void print_place(const struct darn_finding *finding)
{
    struct darn_frame place = {0};

    if (finding->access_count)
        place = darn_export_place(&finding->accesses[0]);
    if (place.file)
        printf("%s:%u: ", place.file, place.line);
}

static void tell(void *context, const struct darn_campaign_known *known)
{
    struct darn_campaign_news *news = context;
    json_t *object = json_loads(known->json, 0, NULL);
    struct darn_finding *finding = object ? darn_finding_reported(object) : NULL;

    if (finding && !is_known(news, known->id, finding)) {
        news->told++;
        print_place(finding);
        printf("%s [%s, %s], in test %s\n", known->title, known->kind, known->certainty,
               known->test);
        if (news->sarif && finding->access_count)
            darn_lose_sarif(COMMAND, news->sarif, darn_sarif_put(news->sarif, finding, NULL));
    }
    darn_finding_free(finding);
    json_decref(object);
}

int64_t darn_campaign_news_tell(struct darn_campaign_news *news, struct darn_campaign_store *store,
                                const char *sarif)
{
    news->sarif = sarif;
    darn_campaign_store_findings(store, tell, news);
    return news->told;
}

void darn_campaign_news_free(struct darn_campaign_news *news)
{
    darn_words_free(&news->known);
    darn_collection_free(&news->baseline);
}
