#include "report/export/export.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/advice.h"
#include "report/text/text_page.h"

static const struct darn_style whole_paths;

static bool has_repository(const char *directory, size_t length)
{
    char path[PATH_MAX + 8];

    snprintf(path, sizeof(path), "%.*s/.git", (int)length, directory);
    return access(path, F_OK) == 0;
}

void darn_root_find(struct darn_root *root, const char *strip)
{
    char here[PATH_MAX - 2];
    size_t length = getcwd(here, sizeof(here)) ? strlen(here) : 0, top = length;

    while (top && !has_repository(here, top))
        while (top && here[--top] != '/')
            continue;
    if (!top)
        top = length;
    while (top && here[top - 1] == '/')
        top--;
    snprintf(root->path, sizeof(root->path), "%.*s/", (int)top, here);
    root->strip = strip && *strip ? strip : NULL;
}

/* Without `//`, `/./` and `/../`, in place. */
static void straighten(char *path)
{
    char *to = path;

    for (const char *from = path; *from;) {
        size_t length = strcspn(from + 1, "/");

        if (length == 2 && strncmp(from + 1, "..", 2) == 0) {
            while (to > path && *--to != '/')
                continue;
        } else if (length && !(length == 1 && from[1] == '.')) {
            memmove(to, from, length + 1);
            to += length + 1;
        }
        from += length + 1;
    }
    *to = '\0';
}

const char *darn_export_path(const struct darn_root *root, const char *dir, const char *file,
                             struct darn_text_pool *pool)
{
    struct darn_style style = {root->strip, false};
    size_t length = strlen(root->path);
    const char *shown;
    char *path;

    if (file[0] != '/' && !dir)
        return file;
    path = file[0] == '/' ? darn_pool_text(pool, file) : darn_pool_format(pool, "%s/%s", dir, file);
    if (path[0] != '/') /* of a build whose directories were mapped */
        return file;
    straighten(path);
    shown = darn_style_path(&style, path);
    if (shown != path)
        return shown;
    return strncmp(path, root->path, length) == 0 && path[length] ? path + length : path;
}

/* RFC 3986: the unreserved characters, and the slash between the parts of a path. A colon would
 * make a scheme of the first part. */
static bool is_plain(char c)
{
    return isalnum((unsigned char)c) || strchr("-._~/", c);
}

const char *darn_export_uri(const char *path, struct darn_text_pool *pool)
{
    char *uri = darn_pool_get(pool, 3 * strlen(path) + 8, 1), *to = uri;

    if (path[0] == '/')
        to = stpcpy(to, "file://");
    for (; *path; path++) {
        if (is_plain(*path))
            *to++ = *path;
        else
            to += sprintf(to, "%%%02X", (unsigned char)*path);
    }
    return uri;
}

struct darn_frame darn_export_place(const struct darn_finding_access *access)
{
    struct darn_frame place = darn_page_place(access);

    if (place.file && !place.dir)
        place.dir = access->dir;
    return place;
}

/* What `print` says of it. */
static const char *say(const struct darn_finding *finding, const struct darn_finding_access *access,
                       void (*print)(struct darn_page *, const struct darn_finding_access *),
                       struct darn_text_pool *pool)
{
    struct darn_page page = {.finding = finding, .style = &whole_paths};
    char *text = NULL;
    size_t length = 0;
    const char *kept;

    page.ink.out = open_memstream(&text, &length);
    if (!page.ink.out)
        return "";
    print(&page, access);
    fclose(page.ink.out);
    darn_pool_release(&page.pool);
    kept = darn_pool_text(pool, text);
    free(text);
    return kept;
}

static void print_title(struct darn_page *page, const struct darn_finding_access *access)
{
    (void)access;
    darn_page_title(page);
}

static void print_advice(struct darn_page *page, const struct darn_finding_access *access)
{
    (void)access;
    darn_advice(&page->ink, page->finding, page->style);
}

const char *darn_export_title(const struct darn_finding *finding, struct darn_text_pool *pool)
{
    return say(finding, NULL, print_title, pool);
}

const char *darn_export_step(const struct darn_finding *finding, size_t index,
                             struct darn_text_pool *pool)
{
    return say(finding, &finding->accesses[index], darn_page_access, pool);
}

const char *darn_export_advice(const struct darn_finding *finding, struct darn_text_pool *pool)
{
    return finding->access_count ? say(finding, NULL, print_advice, pool) : "";
}
