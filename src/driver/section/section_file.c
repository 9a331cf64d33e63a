#include "driver/section/section_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/draft.h"
#include "cli/say.h"
#include "driver/section/section_check.h"
#include "driver/section/section_other_keys.h"

#define ROOM      (256 * 1024)        /* for the strings of one section */
#define PAGE      (1024 * 1024)       /* for the text of one section */
#define TOLD      100                 /* errors of one file that are told one by one */
#define MOST_TEXT (256 * 1024 * 1024) /* of a file: more is no repository */

void darn_sections_free(struct darn_sections *sections)
{
    darn_pool_release(&sections->pool);
    free(sections->list);
    *sections = (struct darn_sections){0};
}

static _Noreturn void out_of_memory(void)
{
    fputs("darn: out of memory\n", stderr);
    exit(2);
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
    if (sections->count == sections->room) {
        sections->room = sections->room ? 2 * sections->room : 64;
        sections->list = realloc(sections->list, sections->room * sizeof(*sections->list));
        if (!sections->list)
            out_of_memory();
    }
    sections->list[sections->count++] = copy;
    return copy;
}

void darn_section_error(const char *path, uint32_t line, uint32_t column, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    /* Names may come from anywhere: they must not command the terminal. */
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    }
    fprintf(stderr, "%s:%u:%u: error: %s\n", path, line, column, text);
}

struct loading {
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
        darn_section_error(loading->path, error->line, error->column, "%s", error->text);
}

static uint32_t parse(struct loading *loading, const char *text, size_t size)
{
    struct darn_section *section = malloc(sizeof(*section));
    char *room = malloc(ROOM);
    struct darn_repository_reader reader = {take_section, take_error, true, loading, room, ROOM};
    uint32_t errors;

    if (!section || !room)
        out_of_memory();
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
    char *rest = darn_section_rest(text, size);

    if (!sections->rest)
        sections->rest = darn_pool_text(&sections->pool, rest);
    free(rest);
}

int darn_section_file_load(const char *command, const char *path, struct darn_sections *sections,
                           uint32_t *errors)
{
    struct loading loading = {path, sections, 0};
    int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    size_t size, from = sections->count;
    char *text = fd < 0 ? NULL : read_all(fd, &size);
    int error = errno;
    uint32_t found;

    if (fd >= 0)
        close(fd);
    if (!text)
        return darn_refuse(command, "%s: cannot be read: %s", path, strerror(error));
    found = parse(&loading, text, size);
    read_refinement(sections, text, size);
    read_rest(sections, text, size);
    free(text);
    found += darn_section_check(path, sections, from);
    *errors += found;
    return 0;
}

/* One of the two lists. False: a section is too large to be written. */
static bool write_list(FILE *file, const struct darn_sections *sections, bool dropped, char *page)
{
    const char *separator = "";

    for (size_t i = 0; i < sections->count; i++) {
        struct darn_text text;

        if (dropped != (sections->list[i]->why != NULL))
            continue;
        darn_text_start(&text, page, PAGE);
        darn_section_write(&text, sections->list[i]);
        if (text.cut)
            return false;
        fprintf(file, "%s\n%s", separator, page);
        separator = ",";
    }
    fputs(*separator ? "\n ]" : "]", file);
    return true;
}

static bool has_dropped(const struct darn_sections *sections)
{
    for (size_t i = 0; i < sections->count; i++) {
        if (sections->list[i]->why)
            return true;
    }
    return false;
}

static int write_all(FILE *file, const struct darn_sections *sections)
{
    char *page = malloc(PAGE);
    bool fits;

    if (!page)
        return -ENOMEM;
    errno = 0;
    fprintf(file, "{\"darn-sections\": %d,\n", DARN_REPOSITORY_VERSION);
    if (sections->refinement.runs)
        fprintf(file,
                " \"refinement\": {\"runs\": %" PRIu64 ", \"quiet\": %" PRIu64
                ", \"seed\": %" PRIu64 "},\n",
                sections->refinement.runs, sections->refinement.quiet, sections->refinement.seed);
    fputs(" \"sections\": [", file);
    fits = write_list(file, sections, false, page);
    if (fits && has_dropped(sections)) {
        fputs(",\n \"dropped\": [", file);
        fits = write_list(file, sections, true, page);
    }
    if (fits && sections->rest)
        fputs(sections->rest, file);
    fputs("}\n", file);
    free(page);
    if (!fits)
        return -E2BIG;
    if (fflush(file) || ferror(file))
        return errno ? -errno : -EIO;
    return 0;
}

static int write_beside(const char *path, const struct darn_sections *sections)
{
    struct darn_draft draft;
    int result = darn_draft_open(&draft, path, false);

    return result ? result : darn_draft_finish(&draft, write_all(draft.file, sections));
}

int darn_section_file_write(const char *path, const struct darn_sections *sections)
{
    struct stat about;
    char *real;
    int result;

    if (strcmp(path, "-") == 0)
        return write_all(stdout, sections);
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        FILE *file = fopen(path, "we"); /* /dev/stdout, a pipe */

        if (!file)
            return -errno;
        result = write_all(file, sections);
        return fclose(file) && !result ? -errno : result;
    }
    real = realpath(path, NULL); /* a link stays one */
    result = write_beside(real ? real : path, sections);
    free(real);
    return result;
}
