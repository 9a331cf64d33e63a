/*
 * Runs one command and says what it cost: user seconds, wall seconds, megabytes at the peak,
 * status.
 *
 * usage: cost OUT ERR COMMAND...
 *
 * What the command prints goes to the two files. Exit status: 0, 1 if the command was killed, 2 if
 * it could not be run.
 */
#include "measure.h"

#include <stdio.h>
#include <sys/wait.h>

enum { LIMIT = 120 };

int main(int argc, char **argv)
{
    struct darn_usage usage;

    if (argc < 4) {
        fprintf(stderr, "usage: cost OUT ERR COMMAND...\n");
        return 2;
    }
    if (darn_measure(argv + 3, argv[1], argv[2], LIMIT, &usage) < 0) {
        perror(argv[3]);
        return 2;
    }
    printf("%.3f %.3f %.1f %d\n", usage.user, usage.wall, usage.peak, WEXITSTATUS(usage.status));
    return WIFSIGNALED(usage.status) ? 1 : 0;
}
