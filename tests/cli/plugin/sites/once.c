/* What says the same as another access needs no site of its own; what may differ keeps it. */
#include <pthread.h>

struct point {
    int x, y;
};

int shared, other;
struct point place;
pthread_mutex_t mutex;

void call(void);

/* site: increment write - 4 shared */
void increment(void)
{
    shared++;
}

/* site: add write - 4 shared */
void add(int n)
{
    shared += n;
}

/* site: through_pointer write - 4 *p */
void through_pointer(int *p)
{
    *p |= 4;
}

/* site: twice write - 4 shared */
void twice(void)
{
    shared += 1;
    shared += 2;
}

/* site: same_read read - 4 shared */
int same_read(int a)
{
    return shared + a * shared;
}

/* The two fields are two variables. */
/* site at -O0 -O1: both write - 4 place.x */
/* site at -O0 -O1: both write - 4 place.y */
/* may: both write - 8 place.x */
void both(int n)
{
    place.x += n;
    place.y += n;
}

/* A call may synchronize: the second access is another one. */
/* twice: around_call write - 4 shared */
void around_call(void)
{
    shared++;
    call();
    shared++;
}

/* twice: around_lock write - 4 shared */
void around_lock(void)
{
    shared = 1;
    pthread_mutex_lock(&mutex);
    shared = 2;
    pthread_mutex_unlock(&mutex);
}

/* twice: around_fence write - 4 shared */
/* site: around_fence fence atomic,acquires,releases 0 - */
void around_fence(void)
{
    shared = 1;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    shared = 2;
}

/* twice: around_assembler write - 4 shared */
void around_assembler(void)
{
    shared = 1;
    __asm__ volatile("" ::: "memory");
    shared = 2;
}

/* The write is conditional, the read is not. */
/* site: conditional read - 4 shared */
/* site: conditional write - 4 shared */
void conditional(void)
{
    if (shared)
        shared = 0;
}

/* site: either write - 4 shared */
/* site: either write - 4 other */
void either(int n)
{
    if (n)
        shared = 1;
    else
        other = 2;
}
