/*
 * claim: a length that is tested before it is changed may have become 0 in between
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * inferred: test-and-use on s->len or stack.len from TEST to TAKE
 * expect: atomicity-violation on s->len or stack.len at TEST and TAKE and TAKE
 * allow: atomicity-violation on s->len or stack.len at TAKE and TAKE and TAKE
 * allow: data-race on s->len or stack.len
 * fixed: yes
 */
#include "meet.h"

struct stack {
    pthread_mutex_t lock;
    int items[4];
    int len;
};

static struct stack stack = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void enter(struct stack *s)
{
#ifdef FIXED
    pthread_mutex_lock(&s->lock);
#else
    (void)s;
#endif
}

static void leave(struct stack *s)
{
#ifdef FIXED
    pthread_mutex_unlock(&s->lock);
#else
    (void)s;
#endif
}

static void pop(struct stack *s)
{
    enter(s);
    if (s->len > 0) { /* access: TEST */
        linger();
        s->len--; /* access: TAKE */
    }
    leave(s);
}

static void *pops(void *arg)
{
    pop(&stack);
    return arg;
}

int main(void)
{
    for (int i = 0; i < MEETINGS; i++) {
        stack.len = 1;
        meet_once(pops, pops, i);
#ifdef FIXED
        if (stack.len != 0)
            return 1;
#endif
    }
    return 0;
}
