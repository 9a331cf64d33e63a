/*
 * claim: an exception leaves the section: nobody waits for the thread any longer
 * build: -O0
 * build: -O1
 * build: -O2
 * alone: right
 * bound: 20000
 * heals: count
 */
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <stdexcept>

enum { ROUNDS = 20 };

static pthread_barrier_t turn;
static volatile long count;

__attribute__((noinline)) static void refuse()
{
    throw std::runtime_error("no");
}

__attribute__((noinline)) static void add(bool is_leaving)
{
    long seen = count;
    if (is_leaving)
        refuse();
    count = seen + 1;
}

static void *leaves(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        try {
            add(true);
        } catch (const std::exception &) {
            pthread_barrier_wait(&turn);
            pthread_barrier_wait(&turn);
        }
    }
    return arg;
}

static void *writes(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&turn);
        add(false);
        count = count + 10;
        pthread_barrier_wait(&turn);
    }
    return arg;
}

int main()
{
    pthread_t threads[2];
    pthread_barrier_init(&turn, nullptr, 2);
    if (pthread_create(&threads[0], nullptr, leaves, nullptr) || pthread_create(&threads[1], nullptr, writes, nullptr))
        return 2;
    for (pthread_t thread : threads)
        pthread_join(thread, nullptr);
    return count != ROUNDS * 11;
}
