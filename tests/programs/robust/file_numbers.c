/*
 * claim: darn opens no files in the program but one duplicate of 2, high up: descriptors are numbered as without it
 * build: -O1
 * run: --budget=max --noise=random:300/50 x 2
 * run: x 2
 * compare: plain
 * expect: none
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void *work(void *arg)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("next: %d\n", open("/dev/null", O_RDONLY));
    /* Nothing inherited or opened high up, either, but where reports go. */
    int open_files = 0;
    DIR *files = opendir("/proc/self/fd");
    for (struct dirent *file; files != NULL && (file = readdir(files)) != NULL;)
        open_files += atoi(file->d_name) < 1020;
    printf("open: %d, of them high up: %d\n", open_files, fcntl(1023, F_GETFD) >= 0);
    return 0;
}
