#include "report/html/page_source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/grow.h"
#include "report/text/source.h"

#define AROUND  10  /* lines before and after a place */
#define LONGEST 400 /* bytes of a line */

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static bool is_file(const struct darn_page_file *file, const char *dir, const char *name)
{
    return strcmp(file->file, name) == 0 &&
           (dir ? file->dir && strcmp(file->dir, dir) == 0 : !file->dir);
}

static struct darn_page_file *find_file(struct darn_page_sources *sources, const char *dir,
                                        const char *name)
{
    struct darn_page_file *file;

    for (size_t i = sources->count; i--;)
        if (is_file(&sources->files[i], dir, name))
            return &sources->files[i];
    sources->files =
        darn_grow(sources->files, &sources->room, sources->count + 1, sizeof(*sources->files));
    file = &sources->files[sources->count++];
    file->file = darn_need_memory(strdup(name));
    file->dir = dir ? darn_need_memory(strdup(dir)) : NULL;
    return file;
}

void darn_page_sources_add(struct darn_page_sources *sources, const json_t *place)
{
    const char *name = text_of(place, "file");
    json_int_t line = json_integer_value(json_object_get(place, "line"));
    struct darn_page_file *file;

    if (!name || line < 1 || line > INT32_MAX)
        return;
    file = find_file(sources, text_of(place, "dir"), name);
    if (file->count && file->lines[file->count - 1] == (unsigned)line)
        return;
    file->lines = darn_grow(file->lines, &file->room, file->count + 1, sizeof(*file->lines));
    file->lines[file->count++] = (unsigned)line;
}

static int compare_lines(const void *a, const void *b)
{
    unsigned one = *(const unsigned *)a, other = *(const unsigned *)b;

    return (one > other) - (one < other);
}

static void put_line(struct darn_json *json, char *text)
{
    text[strcspn(text, "\r\n")] = '\0';
    if (strlen(text) > LONGEST)
        text[LONGEST] = '\0';
    darn_json_string(json, NULL, text);
}

/* Each part is [number of its first line, [lines]]. */
static void put_parts(struct darn_json *json, const struct darn_page_file *file, FILE *source)
{
    char *text = NULL;
    size_t room = 0, next = 0; /* the first place whose surroundings are not over */
    bool open = false;

    for (unsigned line = 1; getline(&text, &room, source) >= 0; line++) {
        while (next < file->count && file->lines[next] + AROUND < line)
            next++;
        if (next == file->count)
            break;
        if (line + AROUND < file->lines[next]) {
            if (open)
                darn_json_close(json, ']'), darn_json_close(json, ']');
            open = false;
            continue;
        }
        if (!open) {
            darn_json_open(json, NULL, '[');
            darn_json_number(json, NULL, line);
            darn_json_open(json, NULL, '[');
            open = true;
        }
        put_line(json, text);
    }
    if (open)
        darn_json_close(json, ']'), darn_json_close(json, ']');
    free(text);
}

static void put_file(struct darn_json *json, struct darn_page_file *file)
{
    FILE *source = darn_source_open(file->dir, file->file);
    struct stat about;

    if (!source)
        return;
    qsort(file->lines, file->count, sizeof(*file->lines), compare_lines);
    darn_json_open(json, NULL, '{');
    darn_json_string(json, "file", file->file);
    if (file->dir)
        darn_json_string(json, "dir", file->dir);
    if (fstat(fileno(source), &about) == 0)
        darn_json_number(json, "written", about.st_mtime);
    darn_json_open(json, "parts", '[');
    put_parts(json, file, source);
    darn_json_close(json, ']');
    darn_json_close(json, '}');
    fclose(source);
}

void darn_page_sources_put(struct darn_page_sources *sources, struct darn_json *json)
{
    darn_json_open(json, "sources", '[');
    for (size_t i = 0; i < sources->count; i++)
        put_file(json, &sources->files[i]);
    darn_json_close(json, ']');
}

void darn_page_sources_free(struct darn_page_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        free(sources->files[i].dir);
        free(sources->files[i].file);
        free(sources->files[i].lines);
    }
    free(sources->files);
    *sources = (struct darn_page_sources){.files = NULL};
}
