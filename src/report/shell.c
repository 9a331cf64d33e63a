#include "report/shell.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST 512 /* characters of arguments */

const char *darn_shell_word(struct darn_text_pool *pool, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./:%+,=@-";
    char *quoted, *to;

    if (*text && text[strspn(text, plain)] == '\0')
        return text;
    quoted = to = darn_pool_get(pool, 4 * strlen(text) + 3, 1);
    *to++ = '\'';
    for (; *text; text++) {
        if (*text == '\'')
            to = stpcpy(to, "'\\'");
        *to++ = *text;
    }
    *to++ = '\'';
    return quoted;
}

/* Whether the process is this program, and not another one that got its number. */
static bool is_running(int64_t pid, const char *program)
{
    char link[64], path[PATH_MAX];
    ssize_t length;

    snprintf(link, sizeof(link), "/proc/%" PRId64 "/exe", pid);
    length = readlink(link, path, sizeof(path));
    return length > 0 && (size_t)length == strlen(program) &&
           memcmp(path, program, (size_t)length) == 0;
}

const char *darn_shell_arguments(struct darn_text_pool *pool, int64_t pid, const char *program)
{
    char path[64], words[MOST + 1];
    const char *line = "";
    ssize_t length;
    int fd;

    if (!program || !is_running(pid, program))
        return NULL;
    snprintf(path, sizeof(path), "/proc/%" PRId64 "/cmdline", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    length = read(fd, words, sizeof(words));
    close(fd);
    if (length <= 0 || length > MOST || words[length - 1] != '\0')
        return NULL;
    for (const char *word = words + strlen(words) + 1; word < words + length;
         word += strlen(word) + 1)
        line = darn_pool_format(pool, "%s %s", line, darn_shell_word(pool, word));
    return line;
}
