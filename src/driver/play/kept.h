/*
 * The directory of a finding that darn has proved: the schedule that shows it, what it is, its
 * story, and what the program printed.
 *
 *   schedule      to be replayed (schedule/schedule.h)
 *   finding.json  one object, as in JSON Lines (docs/cmd-hunt.md)
 *   story.txt     the steps of the schedule, one column for each thread
 *   story.json    the same for programs, with every step (docs/story-format.md)
 *   log           the output of the run
 *   input         what its standard input was, if there was any
 *
 * What a program reads and prints may be secret: the files are for their owner alone.
 */
#ifndef DARN_DRIVER_KEPT_H
#define DARN_DRIVER_KEPT_H

#include <jansson.h>
#include <limits.h>

#include "driver/process/listener.h"
#include "driver/play/player.h"

struct darn_kept {
    char path[PATH_MAX];      /* of the schedule */
    char directory[PATH_MAX]; /* it is in */
    char input[PATH_MAX];     /* empty: none */
    char **program;           /* to be started, with its arguments */
    struct darn_schedule *schedule;
    struct darn_symptom symptom;
    char *with; /* a command beside the runs; NULL: none */
    uint32_t stop;
    char *oracle, *reset; /* commands that runs need; NULL: none */
    bool compare;         /* the output of a good run has the hash: */
    uint64_t hash;
};

/* Reads what `name` says, the directory of a finding or a schedule. 0, or DARN_REFUSED.
 */
int darn_kept_open(struct darn_kept *kept, struct darn_listener *listener, const char *name);
void darn_kept_close(struct darn_kept *kept);

/* Another build of the program is to be started, in the place of the one that the schedule is of. 0
 * or DARN_REFUSED. */
int darn_kept_take_program(struct darn_kept *kept, struct darn_listener *listener,
                           const char *program);

/* finding.json; NULL when there is none. The caller gives it back. */
json_t *darn_kept_finding(const struct darn_kept *kept);

/* Goes to the directory in which the program ran, sets its environment and starts it. Warns when
 * the program is not the one that the schedule is from. 0 or DARN_REFUSED. */
int darn_kept_start(const struct darn_kept *kept, struct darn_listener *listener,
                    struct darn_player *player, struct darn_server_options *options);

/* Makes the directory of the next finding, IN/NUMBER: the first number after this one that is not
 * taken. A directory that a killed command has left unfinished is not. 0 or a negative errno. */
int darn_kept_make(const char *in, uint32_t *number, char *path, size_t size);

/* Writes the schedule as DIRECTORY/NAME; a file of that name is replaced at once or not at all. 0
 * or a negative errno. */
int darn_kept_write_schedule(const char *directory, const char *name,
                             const struct darn_schedule *schedule);

/* The story of the player's last run, that of the schedule (NULL: without memory), up to where the
 * schedule ends, or to where threads have met, if that is what it shows (NULL: it does not). */
void darn_kept_tell(struct darn_player *player, const struct darn_schedule *schedule,
                    const char *met, FILE *out);

/* Writes the story, in both forms, and the log of the player's last run. 0 or a negative errno. */
int darn_kept_write_story(const char *directory, struct darn_player *player,
                          const struct darn_schedule *schedule, const char *met);
int darn_kept_write_log(const char *directory, struct darn_player *player);

/* What goes into finding.json: the finding, and under `check` what its runs are judged by (`reset`
 * may be NULL). Never NULL. */
json_t *darn_kept_object(const struct darn_finding *finding, const struct darn_judge *judge,
                         const char *reset);
/* 0 or a negative errno. */
int darn_kept_write_object(const char *directory, const json_t *object);

/* Keeps a copy of the input of the runs. 0 or a negative errno. */
int darn_kept_copy_input(const char *directory, const char *input);

/* Before the schedule is shrunk: the first one stays as schedule.full, however often that is. 0 or
 * a negative errno. */
int darn_kept_keep_full(const char *directory);

/* Writes a text as DIRECTORY/NAME, at once or not at all. 0 or a negative errno. */
int darn_kept_write(const char *directory, const char *name, const char *text, size_t length);

#endif
