/*
 * claim: a list that grows without a lock while another thread walks it is reported
 * build: -O0
 * build: -O2
 * run: --halt-on-error --report-unknown-origin=0 --noise=var:head:1000/1000 x 20
 * expect: data-race on head at PUSH and WALK [write read]
 */
#include <pthread.h>
#include <stdlib.h>

enum { ITEMS = 300 };

struct node {
    struct node *next;
    long value;
};

static pthread_barrier_t start;
static struct node *head;

static void *push(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_barrier_wait(&start);
        struct node *node = malloc(sizeof(*node));
        node->value = i; /* before it is published */
        node->next = head; /* before it is published */
        head = node; /* race: PUSH */
    }
    return arg;
}

static void *walk(void *arg)
{
    long sum = 0;
    for (int i = 0; i < ITEMS; i++) {
        pthread_barrier_wait(&start);
        for (struct node *node = head; node != NULL; node = node->next) /* race: WALK */
            sum += node->value;
    }
    return sum ? arg : NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&threads[0], NULL, push, NULL);
    pthread_create(&threads[1], NULL, walk, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
