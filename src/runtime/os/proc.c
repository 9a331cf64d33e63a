#define _GNU_SOURCE
#include "runtime/os/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "runtime/os/os.h"

/* /proc/PID/task/TID/FILE: the process that reads is not ourselves, so "self" would be wrong. */
static size_t read_task(int tid, const char *file, char *to, size_t size)
{
    struct darn_text path;
    char buffer[64];

    darn_text_start(&path, buffer, sizeof(buffer));
    darn_text_add(&path, "/proc/");
    darn_text_number(&path, (uint64_t)darn_os_process_id());
    darn_text_add(&path, "/task/");
    darn_text_number(&path, (uint64_t)tid);
    darn_text_add(&path, file);
    darn_text_char(&path, '\0');
    return darn_os_read_file(buffer, to, size);
}

void darn_proc_name(int tid, char *name, size_t size)
{
    size_t length = read_task(tid, "/comm", name, size - 1);

    while (length && name[length - 1] == '\n')
        length--;
    name[length] = '\0';
}

char darn_proc_state(int tid)
{
    char text[512];
    size_t length = read_task(tid, "/stat", text, sizeof(text));

    /* 12 (name) S …: the name may contain anything, also parentheses */
    while (length && text[length - 1] != ')')
        length--;
    return length && length + 1 < sizeof(text) ? text[length + 1] : 0;
}

int darn_proc_threads(void)
{
    char text[2048];
    size_t length = read_task(darn_os_process_id(), "/status", text, sizeof(text) - 1);
    const char *line;
    int count = 0;

    text[length] = '\0';
    line = strstr(text, "\nThreads:");
    for (line = line ? line + 9 : ""; *line == ' ' || *line == '\t'; line++)
        ;
    for (; *line >= '0' && *line <= '9'; line++)
        count = 10 * count + (*line - '0');
    return count;
}

static bool is_any(const char *list, long length, bool (*is)(int pid, const void *argument),
                   const void *argument)
{
    for (long at = 0; at < length;) {
        const struct dirent64 *entry = (const struct dirent64 *)(list + at);
        int pid = atoi(entry->d_name);

        if (pid > 0 && is(pid, argument))
            return true;
        at += entry->d_reclen;
    }
    return false;
}

bool darn_proc_any(bool (*is)(int pid, const void *argument), const void *argument)
{
    int fd = darn_os_open("/proc", O_RDONLY | O_DIRECTORY);
    _Alignas(struct dirent64) char list[4096];
    bool any = false;
    long length;

    while (fd >= 0 && !any && (length = darn_os_list(fd, list, sizeof(list))) > 0)
        any = is_any(list, length, is, argument);
    if (fd >= 0)
        darn_os_close(fd);
    return any;
}
