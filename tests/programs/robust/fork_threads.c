/*
 * claim: a threaded program forks while others stand in windows; the child sees no ghosts of them
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:500/300 x 8
 * run: x 5
 * expect: none
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 8, CELLS = 16 };

static atomic_int stop;
static long cells[3][CELLS]; /* a row per thread; a child owns copies of all of them */

static void *work(void *arg)
{
    long *mine = arg;
    for (int i = 0; !atomic_load(&stop); i++)
        mine[i % CELLS] = i;
    return NULL;
}

static int count_in_child(void)
{
    pthread_t threads[2];
    for (int row = 0; row < 3; row++) /* the threads that stood here do not exist any more */
        for (int i = 0; i < CELLS; i++)
            cells[row][i] = row;
    atomic_store(&stop, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, cells[i]);
    usleep(2000);
    atomic_store(&stop, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return cells[2][0] == 2 && cells[2][CELLS - 1] == 2 ? 0 : 1;
}

int main(void)
{
    pthread_t threads[2];
    int failed = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, cells[i]);
    for (int i = 0; i < FORKS; i++) {
        int status;
        pid_t child = fork();
        if (child == 0)
            _exit(count_in_child());
        waitpid(child, &status, 0);
        failed += status != 0;
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return failed;
}
