/* Ways out of sections, loops, and sections that begin again. */
#include <pthread.h>
#include <stdlib.h>

int left, right, stop;
pthread_mutex_t lock;
void work(void);
_Noreturn void die(void);

/* section: test-and-use by_else left entry=+3:read end=+5:write:read leave=+7 inside=sync,calls */
void by_else(void)
{
    if (left) {
        pthread_mutex_lock(&lock);
        left = 0;
    } else {
        right = 1;
    }
}

/* section: test-and-use by_return left entry=+3:read end=+8:write:read leave=_ inside=sync,calls */
int by_return(void)
{
    if (!left)
        return 1;
    pthread_mutex_lock(&lock);
    if (right)
        return 2;
    left = 0;
    return 0;
}

/* section: test-and-use by_goto left entry=+3:read end=+6:write:read leave=_ inside=sync,calls */
void by_goto(void)
{
    if (!left)
        goto out;
    pthread_mutex_lock(&lock);
    left = 0;
out:
    pthread_mutex_unlock(&lock);
}

/* section: pair by_break left entry=+8:write end=+5:read:read inside=calls,unknown */
/* section: test-and-use by_break left entry=+4:read end=+7:write:read leave=_ inside=calls,unknown */
void by_break(void)
{
    for (;;) {
        if (!left)
            break;
        work();
        left = 2;
        work();
    }
    stop = 0;
}

/* Whoever does not come back needs no way out. */
/* section: test-and-use no_return left entry=+3:read end=+6:read:read inside=sync,calls */
int no_return(void)
{
    if (!left)
        die();
    pthread_mutex_lock(&lock);
    return left;
}

/* section: pair circle left entry=+3:read end=+3:read:read leave=+5 inside=calls,unknown */
void circle(void)
{
    while (left != 5)
        work();
    right = 3;
}

/* section: load-and-store around left entry=+3:read end=+6:write:read inside=calls,unknown,loops */
void around(int n)
{
    int old = left;
    while (n--)
        work();
    left = old + 1;
}

/* section: pair branches left entry=+3:write end=+6:read:read,+8:write:write inside=calls,unknown */
int branches(int n)
{
    left = 1;
    work();
    if (n)
        return left;
    else
        left = 2;
    return 0;
}
