/*
 * claim: what differs from run to run is the same in a replay: time, process id, random numbers
 * build: -O1
 * ends: exit 0
 * replay: same
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int failed;

static void print_all(const char *who)
{
    struct timespec now;
    uint64_t from_system = 0, from_libc = 0, from_device = 0;
    int device = open("/dev/urandom", O_RDONLY);
    if (getrandom(&from_system, sizeof from_system, 0) != sizeof from_system ||
        getentropy(&from_libc, sizeof from_libc) != 0 || device < 0 ||
        read(device, &from_device, sizeof from_device) != sizeof from_device)
        failed = 1;
    close(device);
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%s: pid %d, time %lld, clock %lld.%09ld\n", who, (int)getpid(), (long long)time(NULL),
           (long long)now.tv_sec, now.tv_nsec);
    printf("%s: random %016llx %016llx %016llx %08x\n", who, (unsigned long long)from_system,
           (unsigned long long)from_libc, (unsigned long long)from_device, arc4random());
}

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    print_all(arg);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, "first");
    pthread_create(&threads[1], NULL, work, "second");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return failed;
}
