/*
 * One test of a campaign, run so that it cannot harm it: in a process that watches over it, kills
 * what it leaves behind, keeps the beginning of what it prints and throws the rest away.
 */
#ifndef DARN_DRIVER_CAMPAIGN_CHILD_H
#define DARN_DRIVER_CAMPAIGN_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What is kept of its output. */
#define DARN_CAMPAIGN_OUTPUT (1024 * 1024)

struct darn_campaign_child {
    char *const *command;
    const char *directory;
    char *const *environment; /* NAME=VALUE, in addition to ours; ends with NULL */
    const char *oracle, *reset;
    const char *output; /* the file for what it prints */
    uint32_t timeout_ms;
    uint64_t file_size; /* bytes that it may put into one file */
};

/* What the watching process says of it, in memory that it shares with us. */
struct darn_campaign_end {
    bool is_over;   /* all below is known */
    int error;      /* an errno: it could not be started */
    int status;     /* of wait() */
    bool timed_out; /* and was killed */
    bool left;      /* it has left processes behind, which were killed */
    bool reset_failed;
    bool disk_full;   /* at its end: that of what it has printed */
    int oracle;       /* 0: content or not asked; 1: not; negative: could not be asked */
    uint64_t printed; /* bytes */
    double seconds;
};

/* Starts the watching process, which ends by itself: asked by SIGTERM it kills the test first.
 * `end` lies in shared memory. The process, or a negative errno. */
pid_t darn_campaign_child_start(const struct darn_campaign_child *child,
                                struct darn_campaign_end *end);

#endif
