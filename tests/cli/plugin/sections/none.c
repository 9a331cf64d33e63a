/* What has no sections: what is right already, what nobody else sees, and what nobody changes. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

atomic_int count;
int ready, total;
static int fixed = 3, names[3] = {1, 2, 3};
pthread_mutex_t lock;
void work(int *);

/* none: add */
void add(void) { count++; }

/* none: retry */
void retry(void)
{
    int old = atomic_load(&count);

    while (!atomic_compare_exchange_weak(&count, &old, old + 1))
        ;
}

/* none: retry_checked */
int retry_checked(void)
{
    int old = atomic_load(&count);

    do {
        if (old == 0)
            return 0;
    } while (!atomic_compare_exchange_weak(&count, &old, old - 1));
    return 1;
}

/* none: spin */
void spin(void)
{
    while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        ;
}

/* none: constant */
int constant(int i)
{
    int sum = fixed + names[i];
    pthread_mutex_lock(&lock);
    return sum + fixed + names[i];
}

/* none: local */
int local(int n)
{
    int here = n;
    here += 1;
    pthread_mutex_lock(&lock);
    if (here)
        here++;
    return here;
}

/* none: once */
void once(int x) { total = x; }

/* none: different */
void different(int *p, int *q)
{
    *p = 1;
    pthread_mutex_lock(&lock);
    *q = 2;
}

/* none: walk */
void walk(int *row, int n)
{
    for (int i = 0; i < n; i++) {
        row[i] = n;
        pthread_mutex_lock(&lock);
    }
}
