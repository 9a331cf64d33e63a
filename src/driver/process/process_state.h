/* What the kernel says of a process. */
#ifndef DARN_DRIVER_PROCESS_STATE_H
#define DARN_DRIVER_PROCESS_STATE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

/* What stands behind the name of the program in its line of proc(5); NULL: there is no such
 * process. */
static inline const char *darn_process_line(pid_t pid, char *text, size_t size)
{
    char path[64];
    const char *state;
    size_t got;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
    file = pid > 0 ? fopen(path, "re") : NULL;
    if (!file)
        return NULL;
    got = fread(text, 1, size - 1, file);
    fclose(file);
    text[got] = '\0';
    state = strrchr(text, ')'); /* the name may have blanks */
    return state && state[1] ? state + 2 : NULL;
}

/* The letter of its state: S it sleeps, T it is stopped, …; 0: there is no such process. */
static inline char darn_process_state(pid_t pid)
{
    char text[512];
    const char *line = darn_process_line(pid, text, sizeof(text));

    return (char)(line ? *line : 0);
}

/* The processor's time that all of its threads have had, in ticks of the kernel. */
static inline uint64_t darn_process_ticks(pid_t pid)
{
    char text[512];
    const char *line = darn_process_line(pid, text, sizeof(text));
    unsigned long user = 0, kernel = 0;

    if (line)
        (void)sscanf(line, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel);
    return (uint64_t)user + kernel;
}

#endif
