#include "report/text/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/text_pool.h"
#include "report/text/utf8.h"
#include "report/unread.h"

#define TAB   8
#define WIDTH 100         /* of what is shown of a long line */
#define MOST  (64 * 1024) /* nobody reads longer lines */

FILE *darn_source_open(const char *dir, const char *file)
{
    struct darn_text_pool pool = {0};
    struct stat status;
    FILE *opened = NULL;
    int fd;

    if (dir && file[0] != '/')
        file = darn_pool_format(&pool, "%s/%s", dir, file);
    fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        darn_unread(file, errno);
    darn_pool_release(&pool);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        opened = fdopen(fd, "r");
    if (!opened)
        close(fd);
    return opened;
}

char *darn_source_line(const char *dir, const char *file, unsigned line)
{
    FILE *source = file && line ? darn_source_open(dir, file) : NULL;
    char *text = NULL;
    size_t room = 0;
    ssize_t length = -1;

    if (!source)
        return NULL;
    while (line--) {
        length = getline(&text, &room, source);
        if (length < 0)
            break;
    }
    fclose(source);
    if (length < 0) {
        free(text);
        return NULL;
    }
    text[strcspn(text, "\r\n")] = '\0';
    return text;
}

/* A line as it is shown: every character is one column wide. */
struct shown {
    const char **starts; /* of the characters in the line; NULL for a blank of a tab */
    size_t count;
    size_t caret; /* the index of the character at the column; SIZE_MAX for none */
};

/* 0, or -1 when it is not to be shown. */
static int lay_out(struct shown *shown, const char *text, unsigned column)
{
    size_t length = strlen(text);
    size_t target = column ? column - 1 : SIZE_MAX;

    if (length > MOST)
        return -1;
    *shown = (struct shown){calloc(length * TAB + 1, sizeof(*shown->starts)), 0, SIZE_MAX};
    if (!shown->starts)
        return -1;
    for (size_t i = 0, bytes; i < length; i += bytes) {
        uint32_t code;

        bytes = darn_utf8_next(text + i, text + length, &code);
        if (target >= i && target < i + bytes)
            shown->caret = shown->count;
        if (code == '\t')
            shown->count += TAB - shown->count % TAB;
        else
            shown->starts[shown->count++] = text + i;
    }
    if (target == length)
        shown->caret = shown->count;
    return 0;
}

static void show_text(struct darn_ink *ink, const struct shown *shown, const char *end,
                      size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        const char *start = shown->starts[i];
        uint32_t code;

        if (start)
            darn_say(ink, "%.*s", (int)darn_utf8_next(start, end, &code), start);
        else
            darn_say(ink, " ");
    }
}

/* The part of a long line that is shown has its column in the middle. */
static size_t first_shown(const struct shown *shown)
{
    if (shown->count <= WIDTH || shown->caret == SIZE_MAX || shown->caret < WIDTH / 2)
        return 0;
    if (shown->caret > shown->count - WIDTH / 2)
        return shown->count - WIDTH;
    return shown->caret - WIDTH / 2;
}

void darn_source_show(struct darn_ink *ink, const char *dir, const char *file, unsigned line,
                      unsigned column)
{
    char *text = darn_source_line(dir, file, line);
    struct shown shown;
    size_t first, last;

    if (!text || lay_out(&shown, text, column)) {
        free(text);
        return;
    }
    first = first_shown(&shown);
    last = shown.count < first + WIDTH ? shown.count : first + WIDTH;
    darn_say(ink, "%5u | %s", line, first ? "..." : "");
    show_text(ink, &shown, text + strlen(text), first, last);
    darn_say(ink, "%s\n", last < shown.count ? "..." : "");
    if (shown.caret != SIZE_MAX) {
        darn_say(ink, "      | %*s", (int)(shown.caret - first + (first ? 3 : 0)), "");
        darn_say_in(ink, DARN_TINT_CARET, "^");
        darn_say(ink, "\n");
    }
    free(shown.starts);
    free(text);
}
