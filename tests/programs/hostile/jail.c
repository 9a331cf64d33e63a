/*
 * claim: a program makes itself undumpable, shuts itself in and becomes nobody, with threads
 * build: -O1
 * needs: root
 * modes: run max record hunt explore heal only
 * warning: the run that was to learn has left nothing
 * stdout: not dumpable
 * stdout: in a jail
 * stdout: nobody, in every thread
 * stdout: nobody still can fork
 */
#include "hostile.h"
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/stat.h>

enum { NOBODY = 65534 };

static pthread_barrier_t barrier;

static void *stay(void *arg)
{
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return arg;
}

/* Whoever shares our memory must not keep the rights that we have given up. `tasks` was opened
 * outside. */
static void all_are_nobody(int tasks)
{
    DIR *directory = fdopendir(tasks);
    struct dirent *entry;
    int seen = 0;
    must(directory != NULL);
    while ((entry = readdir(directory)) != NULL) {
        char text[64];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(text, sizeof(text), "%s/status", entry->d_name);
        int file = openat(tasks, text, O_RDONLY);
        char content[4096] = "";
        if (file < 0)
            continue; /* it has ended meanwhile */
        must(read(file, content, sizeof(content) - 1) >= 0);
        close(file);
        const char *line = strstr(content, "\nUid:");
        must(line != NULL && strncmp(line, "\nUid:\t65534\t65534\t65534\t65534\n", 30) == 0);
        seen++;
    }
    closedir(directory);
    must(seen >= 2);
}

int main(void)
{
    char directory[] = "./jail-XXXXXX";
    int tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
    must(tasks >= 0 && mkdtemp(directory) != NULL && chmod(directory, 0755) == 0);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_t other = start(stay, NULL);
    pthread_barrier_wait(&barrier);
    must(prctl(PR_SET_DUMPABLE, 0) == 0);
    two_threads_count();
    say("not dumpable");
    int outside = open(".", O_RDONLY | O_DIRECTORY);
    must(outside >= 0 && chroot(directory) == 0 && chdir("/") == 0);
    must(unlinkat(outside, directory, AT_REMOVEDIR) == 0 && close(outside) == 0);
    two_threads_count();
    say("in a jail");
    must(setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
    must(setuid(0) != 0);
    two_threads_count();
    all_are_nobody(tasks);
    say("nobody, in every thread");
    pthread_barrier_wait(&barrier);
    join(other);
    pid_t child = fork();
    if (child == 0) {
        two_threads_count();
        _exit(7);
    }
    must(status_of(child) == 7);
    say("nobody still can fork");
    return 0;
}
