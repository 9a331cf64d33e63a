#include "plugin/stats.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "site/wishes.h"

static struct {
    bool wanted;
    double started, plugin; /* seconds of processor time */
    char file[256];         /* clang compiles each in a process of its own */
    size_t sites, sections;
} stats;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void darn_stats_start(void)
{
    const char *value = getenv(DARN_STATS_VARIABLE);

    stats.wanted = value && *value && *value != '0';
    stats.started = now();
}

void darn_stats_stop(void)
{
    stats.plugin += now() - stats.started;
}

void darn_stats_count(const char *file, size_t length, size_t sites, size_t sections)
{
    snprintf(stats.file, sizeof(stats.file), "%.*s", (int)length, file);
    stats.sites += sites;
    stats.sections += sections;
}

/* Code is generated after the plugin's steps: that is seen only in the end. */
__attribute__((destructor)) static void tell(void)
{
    struct rusage usage;

    if (!stats.wanted || !*stats.file || getrusage(RUSAGE_SELF, &usage))
        return;
    fprintf(stderr,
            "darn: %s: %zu sites, %zu sections; %.2f s of processor time, %.2f s of it in the "
            "plugin, and %ld MB\n",
            stats.file, stats.sites, stats.sections, now(), stats.plugin, usage.ru_maxrss / 1024);
}
