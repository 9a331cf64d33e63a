#include "driver/section/section_file.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/draft.h"
#include "base/grow.h"
#include "base/json_file.h"
#include "driver/process/listener.h"
#include "driver/section/section_check.h"
#include "driver/section/section_other_keys.h"

#define ROOM      (256 * 1024)        /* for the strings of one section */
#define TOLD      100                 /* errors of one file that are told one by one */
#define MOST_TEXT (256 * 1024 * 1024) /* of a file: more is no repository */

void darn_sections_free(struct darn_sections *sections)
{
    darn_pool_release(&sections->pool);
    free(sections->list);
    *sections = (struct darn_sections){0};
}

/* Most points name the file and the function of the section: these are not copied again. */
static const char *copy_name(struct darn_sections *sections, const struct darn_section *section,
                             const struct darn_section *copy, const char *name)
{
    if (strcmp(name, section->file) == 0)
        return copy->file;
    if (strcmp(name, section->function) == 0)
        return copy->function;
    return darn_pool_text(&sections->pool, name);
}

struct darn_section *darn_sections_add(struct darn_sections *sections,
                                       const struct darn_section *section)
{
    size_t points = section->count * sizeof(section->points[0]);
    size_t size = offsetof(struct darn_section, points) + points;
    struct darn_section *copy = darn_pool_get(&sections->pool, 1, size);

    memcpy(copy, section, size);
    copy->variable = darn_pool_text(&sections->pool, section->variable);
    copy->type = section->type ? darn_pool_text(&sections->pool, section->type) : NULL;
    copy->file = darn_pool_text(&sections->pool, section->file);
    copy->function = darn_pool_text(&sections->pool, section->function);
    copy->why = darn_pool_text(&sections->pool, section->why);
    for (uint32_t i = 0; i < section->count; i++) {
        struct darn_point *point = &copy->points[i];

        point->file = copy_name(sections, section, copy, point->file);
        point->function = copy_name(sections, section, copy, point->function);
    }
    sections->list =
        darn_grow(sections->list, &sections->room, sections->count + 1, sizeof(*sections->list));
    sections->list[sections->count++] = copy;
    return copy;
}

void darn_section_fault(struct darn_listener *listener, const char *path, uint32_t line,
                        uint32_t column, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    darn_tell_fault(listener, "%s:%u:%u: error: %s", path, line, column, text);
}

struct loading {
    struct darn_listener *listener;
    const char *path;
    struct darn_sections *sections;
    uint32_t told;
};

static bool take_section(void *context, const struct darn_section *section)
{
    struct loading *loading = context;

    darn_sections_add(loading->sections, section);
    return true;
}

static void take_error(void *context, const struct darn_repository_error *error)
{
    struct loading *loading = context;

    if (loading->told++ < TOLD)
        darn_section_fault(loading->listener, loading->path, error->line, error->column, "%s",
                           error->text);
}

static uint32_t parse(struct loading *loading, const char *text, size_t size)
{
    struct darn_section *section = darn_need_memory(malloc(sizeof(*section)));
    char *room = darn_need_memory(malloc(ROOM));
    struct darn_repository_reader reader = {take_section, take_error, true, loading, room, ROOM};
    uint32_t errors;

    errors = darn_repository_read(text, size, section, &reader);
    free(section);
    free(room);
    return errors;
}

/* The whole file, also of a pipe. NULL with errno. */
static char *read_all(int fd, size_t *size)
{
    size_t room = 64 * 1024, used = 0;
    char *text = malloc(room);
    ssize_t got = 1;

    while (text && got > 0) {
        if (used == room) {
            char *more = room < MOST_TEXT ? realloc(text, 2 * room) : NULL;

            if (!more) {
                errno = room < MOST_TEXT ? ENOMEM : EFBIG;
                break;
            }
            text = more;
            room *= 2;
        }
        got = read(fd, text + used, room - used);
        used += got > 0 ? (size_t)got : 0;
    }
    *size = used;
    if (text && got != 0) {
        int error = errno;

        free(text);
        text = NULL;
        errno = error;
    }
    return text;
}

static uint64_t number_of(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));

    return value > 0 ? (uint64_t)value : 0;
}

/* How far a refinement has come. In a file with faults that is not known: it starts again. */
static void read_refinement(struct darn_sections *sections, const char *text, size_t size)
{
    json_t *file = json_loadb(text, size, 0, NULL);
    const json_t *object = json_object_get(file, "refinement");

    if (object) {
        sections->refinement.runs = number_of(object, "runs");
        sections->refinement.quiet = number_of(object, "quiet");
        sections->refinement.seed = number_of(object, "seed");
    }
    json_decref(file);
}

static void read_rest(struct darn_sections *sections, const char *text, size_t size)
{
    char *rest = darn_section_other_keys(text, size);

    if (!sections->rest)
        sections->rest = darn_pool_text(&sections->pool, rest);
    free(rest);
}

void darn_section_files(const char *list, struct darn_words *files)
{
    size_t length = access(list, F_OK) == 0 ? strlen(list) : strcspn(list, ",");

    while (list[length]) {
        darn_words_add_part(files, list, length);
        list += length + 1;
        length = strcspn(list, ",");
    }
    darn_words_add(files, list);
}

int darn_section_file_load(struct darn_listener *listener, const char *path,
                           struct darn_sections *sections, uint32_t *errors)
{
    struct loading loading = {listener, path, sections, 0};
    int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    size_t size, from = sections->count;
    char *text = fd < 0 ? NULL : read_all(fd, &size);
    int error = errno;
    uint32_t found;

    if (fd >= 0)
        close(fd);
    if (!text)
        return darn_tell_refusal(listener, "%s: cannot be read: %s", path, strerror(error));
    found = parse(&loading, text, size);
    read_refinement(sections, text, size);
    read_rest(sections, text, size);
    free(text);
    found += darn_section_check(listener, path, sections, from);
    *errors += found;
    return 0;
}

/* One of the two lists. */
static void write_list(struct darn_json *json, FILE *file, const struct darn_sections *sections,
                       const char *key, bool dropped)
{
    darn_json_break(json, 1);
    darn_json_open(json, key, '[');
    for (size_t i = 0; i < sections->count; i++) {
        if (dropped != (sections->list[i]->why != NULL))
            continue;
        darn_section_write(json, sections->list[i]);
        darn_json_flush(json, file);
        darn_json_break(json, 1); /* of the bracket; the next section has its own */
    }
    darn_json_close(json, ']');
}

static bool has_dropped(const struct darn_sections *sections)
{
    for (size_t i = 0; i < sections->count; i++) {
        if (sections->list[i]->why)
            return true;
    }
    return false;
}

static void write_refinement(struct darn_json *json, const struct darn_sections *sections)
{
    darn_json_break(json, 1);
    darn_json_open(json, "refinement", '{');
    darn_json_number(json, "runs", (int64_t)sections->refinement.runs);
    darn_json_number(json, "quiet", (int64_t)sections->refinement.quiet);
    darn_json_number(json, "seed", (int64_t)sections->refinement.seed);
    darn_json_close(json, '}');
}

int darn_section_file_print(FILE *file, const struct darn_sections *sections)
{
    struct darn_json json;

    errno = 0;
    darn_json_start_growing(&json);
    darn_repository_open(&json);
    if (sections->refinement.runs)
        write_refinement(&json, sections);
    write_list(&json, file, sections, "sections", false);
    if (has_dropped(sections))
        write_list(&json, file, sections, "dropped", true);
    if (sections->rest)
        darn_text_add(&json.text, sections->rest);
    darn_json_close(&json, '}');
    darn_json_end_line(&json);
    darn_json_finish(&json, file);
    if (fflush(file) || ferror(file))
        return errno ? -errno : -EIO;
    return 0;
}

static int write_beside(const char *path, const struct darn_sections *sections)
{
    struct darn_draft draft;
    int result = darn_draft_open(&draft, path, false);

    return result ? result
                  : darn_draft_finish(&draft, darn_section_file_print(draft.file, sections));
}

int darn_section_file_write(const char *path, const struct darn_sections *sections)
{
    struct stat about;
    char *real;
    int result;

    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        FILE *file = fopen(path, "we"); /* /dev/stdout, a pipe */

        if (!file)
            return -errno;
        result = darn_section_file_print(file, sections);
        return fclose(file) && !result ? -errno : result;
    }
    real = realpath(path, NULL); /* a link stays one */
    result = write_beside(real ? real : path, sections);
    free(real);
    return result;
}
