/*
 * claim: memory that threads still wait in may be gone: nobody looks into it; that it is given back too early is true
 * build: -O1
 * run: x 1
 * expect: none
 * allow: data-race on *
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct shared {
    pthread_mutex_t mutex, given;
    pthread_cond_t cond;
};

static struct shared *shared;
static int waiting[2];

static void *wait_for_mutex(void *arg)
{
    __atomic_store_n(&waiting[0], (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
    pthread_mutex_lock(&shared->mutex);
    return arg;
}

static void *wait_for_cond(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&shared->given);
    __atomic_store_n(&waiting[1], (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
    for (;;)
        pthread_cond_wait(&shared->cond, &shared->given);
}

/* Whether the thread waits in the kernel for a word of the shared memory. */
static int is_asleep(int tid)
{
    unsigned long address = 0, start = (unsigned long)shared;
    int number = -1;
    char path[64];
    FILE *file;

    snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
    file = tid ? fopen(path, "r") : NULL;
    if (!file)
        return 0;
    if (fscanf(file, "%d %lx", &number, &address) != 2)
        number = -1;
    fclose(file);
    return number == SYS_futex && address >= start && address < start + sizeof(*shared);
}

int main(void)
{
    struct timespec moment = {0, 10000000}, looks = {1, 0};
    pthread_t threads[2];

    shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    pthread_mutex_init(&shared->mutex, NULL);
    pthread_mutex_init(&shared->given, NULL);
    pthread_cond_init(&shared->cond, NULL);
    pthread_mutex_lock(&shared->mutex);
    pthread_create(&threads[0], NULL, wait_for_mutex, NULL);
    pthread_create(&threads[1], NULL, wait_for_cond, NULL);
    for (int i = 0; i < 2; i++) {
        while (!is_asleep(__atomic_load_n(&waiting[i], __ATOMIC_ACQUIRE)))
            nanosleep(&moment, NULL);
    }
    munmap(shared, sizeof(*shared));
    nanosleep(&looks, NULL); /* the watchdog looks five times */
    _exit(0);
}
