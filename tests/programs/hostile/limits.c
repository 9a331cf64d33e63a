/*
 * claim: limits that a program sets itself, while it has threads, do not end it
 * build: -O1
 * modes: run max record hunt explore heal only
 * warning: the run that was to learn has left nothing
 * stdout: no more files
 * stdout: no file may be long
 * stdout: little memory
 * stdout: small stacks
 */
#include "hostile.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

static pthread_barrier_t barrier;

static void limit(__rlimit_resource_t what, rlim_t value)
{
    struct rlimit limits = {value, value};
    must(setrlimit(what, &limits) == 0);
}

static void *stay(void *arg)
{
    pthread_barrier_wait(&barrier);
    two_threads_count();
    return arg;
}

/* What is mapped now, in pages. */
static rlim_t mapped(void)
{
    unsigned long pages;
    FILE *file = fopen("/proc/self/statm", "r");
    must(file != NULL && fscanf(file, "%lu", &pages) == 1 && fclose(file) == 0);
    return (rlim_t)pages * 4096;
}

int main(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_t other = start(stay, NULL);
    two_threads_count();
    rlim_t now = mapped();
    limit(RLIMIT_NOFILE, 3);
    must(open("/dev/null", O_RDONLY) == -1 && errno == EMFILE);
    two_threads_count();
    say("no more files");
    limit(RLIMIT_FSIZE, 100); /* more than we print */
    limit(RLIMIT_CORE, 0);
    two_threads_count();
    say("no file may be long");
    limit(RLIMIT_AS, now + (32 << 20));
    two_threads_count();
    say("little memory");
    limit(RLIMIT_STACK, 256 << 10);
    two_threads_count();
    pthread_barrier_wait(&barrier);
    join(other);
    say("small stacks");
    return 0;
}
