/*
 * claim: a race inside a plugin that is opened while the threads run is reported
 * plugin: shared_counter.c
 * args: ./shared_counter.so
 * tsan: no
 * build: -O1
 * run: --budget=max --noise=random:1000/1000 x 20
 * run: --noise=var:hidden_counter:1000/1000 x 20
 * expect: data-race on hidden_counter at HIDDEN and HIDDEN
 * allow: data-race on library_counter at LIBRARY and LIBRARY
 */
#include <dlfcn.h>
#include <pthread.h>

enum { ROUNDS = 20 };

static pthread_barrier_t start;
static const char *path;

static void *work(void *arg)
{
    pthread_barrier_wait(&start);
    void *plugin = dlopen(path, RTLD_NOW);
    if (plugin == NULL)
        return NULL;
    void (*count)(void) = (void (*)(void))dlsym(plugin, "library_count");
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&start);
        count();
    }
    pthread_barrier_wait(&start);
    dlclose(plugin); /* the report at the end must still know the sites of the plugin */
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    int done = 0;
    path = argv[argc - 1];
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &start);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        done += result != NULL;
    }
    return done != 2;
}
