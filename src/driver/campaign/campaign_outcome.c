#include "driver/campaign/campaign_outcome.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "driver/campaign/campaign_harvest.h"

#define MOST_LINE 160 /* bytes of the last line */

static bool is_too_large(int status)
{
    return WIFSIGNALED(status) ? WTERMSIG(status) == SIGXFSZ
                               : WEXITSTATUS(status) == 128 + SIGXFSZ; /* as a shell says it */
}

/* Whether a run was right is for the oracle to say, if there is one. */
static const char *of_ended(const struct darn_campaign_end *end, bool says_status, char *why,
                            size_t size)
{
    if (is_too_large(end->status))
        snprintf(why, size, "a file of it became too large (file-size-mb)");
    else if (WIFSIGNALED(end->status))
        snprintf(why, size, "killed by signal %d (%s)", WTERMSIG(end->status),
                 strsignal(WTERMSIG(end->status)));
    else if (end->oracle > 0)
        snprintf(why, size, "the oracle is not content (exit status %d)", WEXITSTATUS(end->status));
    else if (end->oracle < 0)
        snprintf(why, size, "the oracle could not be asked");
    else if (WEXITSTATUS(end->status) && says_status)
        snprintf(why, size, "exit status %d", WEXITSTATUS(end->status));
    else
        return "passed";
    return "failed";
}

const char *darn_campaign_outcome(const struct darn_campaign_end *end, bool says_status, char *why,
                                  size_t size)
{
    *why = '\0';
    if (!end->is_over) {
        snprintf(why, size, "whoever watched over it was killed");
        return "lost";
    }
    if (end->error) {
        snprintf(why, size, "it cannot be started: %s", strerror(end->error));
        return "unfit";
    }
    if (end->timed_out) {
        snprintf(why, size, "it was killed after %.1f s", end->seconds);
        return "hung";
    }
    return of_ended(end, says_status, why, size);
}

void darn_campaign_add_last_line(const char *output, char *why, size_t size)
{
    char *line = darn_campaign_last_line(output);
    size_t used = strlen(why);

    if (line && used < size)
        snprintf(why + used, size - used, "%s'%.*s'", used ? ": " : "", MOST_LINE, line);
    free(line);
}

void darn_campaign_add_remarks(const struct darn_campaign_end *end, char *why, size_t size)
{
    const char *more[4];
    int count = 0;

    if (end->left && !end->timed_out) /* who is killed leaves what it has started */
        more[count++] = "it left processes behind, which were killed";
    if (end->printed > DARN_CAMPAIGN_OUTPUT)
        more[count++] = "most of what it printed was thrown away";
    if (end->disk_full) /* what it has printed may be lost, too */
        more[count++] = "the disk was full in the end";
    if (end->reset_failed)
        more[count++] = "the reset command failed";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(why);

        snprintf(why + used, size - used, "%s%s", used ? "; " : "", more[i]);
    }
}
