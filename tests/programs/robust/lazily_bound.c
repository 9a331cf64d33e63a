/*
 * claim: the first call of a hook by a shared object changes no register, however it is bound
 * lib: lazily_bound.c
 * build: -O2 -Wl,-z,lazy
 * build: -O1 -Wl,-z,lazy
 * run: --budget=max x 3
 * expect: none
 */
#include <pthread.h>
#include <stddef.h>

struct request {
    long kind, *loop, result, flags, *path, *other, *buffers, file, count, offset, *callback;
};

int fill(struct request *request, long *loop, long file, long *buffers, long count, long offset,
         long *callback);

static long numbers[3] = {1, 2, 3};

static void *work(void *arg)
{
    struct request *request = arg;

    fill(request, &numbers[0], 7, &numbers[1], 1, -1, &numbers[2]);
    return request->kind == 6 && request->loop == &numbers[0] && !request->result &&
                   !request->flags && !request->path && !request->other &&
                   request->buffers == &numbers[1] && request->file == 7 && request->count == 1 &&
                   request->offset == -1 && request->callback == &numbers[2]
               ? NULL
               : arg;
}

int main(void)
{
    struct request request;
    pthread_t thread;
    void *wrong = NULL;

    if (pthread_create(&thread, NULL, work, &request) || pthread_join(thread, &wrong))
        return 2;
    return wrong ? 1 : 0;
}
