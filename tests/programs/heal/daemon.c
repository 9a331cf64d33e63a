/*
 * claim: a program that forks twice, as daemons do, and one that starts another inside a section, are served as before
 * build: -O1
 * certain: block lock
 * bound: 20000
 * heals: count
 */
#include "crowd.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

enum { ADDERS = 2, ADDS = 100 };

extern char **environ;
static volatile long count;

__attribute__((noinline)) static void add(void)
{
    long seen = count;
    dawdle(50);
    count = seen + 1;
}

static void *adds(void *arg)
{
    crowd_begin();
    for (int i = 0; i < ADDS; i++)
        add();
    return arg;
}

/* Another program is started from inside the section, in two ways. */
__attribute__((noinline)) static int add_and_start(void)
{
    char *const words[] = {"true", NULL};
    int status = 1, other = 1;
    long seen = count;
    pid_t second, first = vfork();
    if (first == 0) {
        execvp(words[0], words);
        _exit(127);
    }
    if (posix_spawnp(&second, words[0], NULL, NULL, words, environ))
        return 2;
    count = seen + 1;
    waitpid(first, &status, 0);
    waitpid(second, &other, 0);
    return status != 0 || other != 0;
}

static int serve(void)
{
    int failed;
    count = 0;
    failed = add_and_start();
    crowd(ADDERS, adds);
    return failed || count != 1 + ADDERS * ADDS;
}

/* The grandchild serves, and says in the pipe how it went: its parent is gone. */
int main(void)
{
    int pipes[2];
    char answer = 'x';
    pid_t child;
    if (serve() || pipe(pipes) || (child = fork()) < 0)
        return 1;
    if (child == 0) {
        if (setsid() < 0 || fork() != 0)
            _exit(0);
        answer = serve() ? 'n' : 'y';
        _exit(write(pipes[1], &answer, 1) != 1);
    }
    close(pipes[1]);
    waitpid(child, NULL, 0);
    if (read(pipes[0], &answer, 1) != 1)
        return 1;
    return answer != 'y';
}
