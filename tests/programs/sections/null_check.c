/*
 * claim: a pointer that is tested and then read again is another one after a write in between
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * inferred: test-and-use on node->next or head.next from TEST to USE
 * expect: atomicity-violation on node->next or head.next at TEST and SET and USE [read write read]
 * allow: data-race on node->next or head.next
 * fixed: yes
 */
#include "meet.h"

struct node {
    struct node *next;
    int value;
};

/* A right program would write NULL where this one writes the address of `nobody`: it would crash,
 * as it should. */
static struct node nobody = {NULL, -1}, second = {NULL, 2}, head = {&second, 1};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int values[MEETINGS];

static int follow(struct node *node)
{
    int value = 0;
    if (node->next != NULL) { /* access: TEST */
        linger();
        value = node->next->value; /* access: USE */
    }
    return value;
}

static void change(struct node *node, struct node *next)
{
    node->next = next; /* access: SET */
}

static void *reads(void *arg)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    values[(long)arg] = follow(&head);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

static void *sets(void *arg)
{
    come_later((long)arg);
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    change(&head, (long)arg % 2 ? &nobody : &second);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

int main(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    meet(reads, sets);
    for (int i = 0; i < MEETINGS; i++)
        if (values[i] != 2 && values[i] != -1)
            return 1;
    return 0;
}
