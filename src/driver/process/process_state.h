/* What the kernel says of a process. */
#ifndef DARN_DRIVER_PROCESS_STATE_H
#define DARN_DRIVER_PROCESS_STATE_H

#include <stdio.h>
#include <string.h>
#include <sys/types.h>

/* The letter of proc(5): S it sleeps, T it is stopped, …; 0: there is no such process. */
static inline char darn_process_state(pid_t pid)
{
    char path[64], text[512];
    const char *state;
    size_t got;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
    file = pid > 0 ? fopen(path, "re") : NULL;
    if (!file)
        return 0;
    got = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[got] = '\0';
    state = strrchr(text, ')'); /* the name of the program may have blanks */
    return (char)(state && state[1] ? state[2] : 0);
}

#endif
