/*
 * claim: vfork, posix_spawn and system work while other threads stand in windows
 * build: -O1
 * run: --budget=max --noise=random:300/200 x 6
 * run: x 3
 * expect: none
 */
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static atomic_int stop;
static long busy[2];

static void *work(void *arg)
{
    for (long i = 0; !atomic_load(&stop); i++)
        *(long *)arg = i;
    return NULL;
}

static int by_vfork(void)
{
    int status;
    pid_t child = vfork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    return status;
}

static int by_spawn(void)
{
    char *arguments[] = {"sh", "-c", "exit 7", NULL};
    int status;
    pid_t child;
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) != 0)
        return -1;
    waitpid(child, &status, 0);
    return status;
}

int main(void)
{
    pthread_t threads[2];
    int failed = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &busy[i]);
    for (int i = 0; i < 4; i++) {
        failed += WEXITSTATUS(by_vfork()) != 7;
        failed += WEXITSTATUS(by_spawn()) != 7;
        failed += WEXITSTATUS(system("exit 7")) != 7;
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return failed;
}
