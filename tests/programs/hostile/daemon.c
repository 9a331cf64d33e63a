/*
 * claim: a program that goes into the background works on there, and ends
 * build: -O1
 * modes: run max record hunt explore heal only
 * stdout: gone
 * stdout: at work
 * stdout: ended
 */
#include "hostile.h"
#include <fcntl.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *hold(void *arg)
{
    pthread_mutex_lock(&lock);
    ++*(long *)arg;
    pthread_mutex_unlock(&lock);
    return arg;
}

/* A session of its own, no terminal, no parent, no files but the pipe to the one who watches. */
static void go_into_background(int out)
{
    if (fork() != 0)
        _exit(0);
    must(setsid() >= 0 && chdir("/") == 0);
    if (fork() != 0)
        _exit(0);
    must(dup2(out, 3) == 3 && close_range(4, ~0U, 0) == 0);
    for (int i = 0; i < 3; i++)
        must(close(i) == 0 && open("/dev/null", O_RDWR) == i);
    must(write(3, "at work\n", 8) == 8);
    two_threads_count();
    must(write(3, "ended\n", 6) == 6);
    exit(0);
}

int main(void)
{
    char text[64];
    int ends[2];
    long held = 0;
    ssize_t count;
    two_threads_count();
    join(start(hold, &held));
    must(held == 1 && pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0)
        go_into_background(ends[1]);
    close(ends[1]);
    must(status_of(child) == 0);
    say("gone");
    while ((count = read(ends[0], text, sizeof(text))) > 0)
        must(write(1, text, (size_t)count) == count);
    must(count == 0);
    return 0;
}
