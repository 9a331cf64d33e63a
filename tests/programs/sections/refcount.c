/*
 * claim: a count that is lowered and then looked at may have been lowered by another one, too
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=pair
 * inferred: pair on object->users or objects[].users from DROP to LOOK
 * expect: atomicity-violation on object->users or objects[].users at DROP and DROP and LOOK
 * fixed: yes
 */
#include "meet.h"

struct object {
    pthread_mutex_t lock;
    int users;
    int released;
};

static struct object objects[MEETINGS]; /* one for each: nothing else comes before or after drop */

static void drop(struct object *object)
{
    int last;
    pthread_mutex_lock(&object->lock);
    object->users--; /* access: DROP */
    give_way(&object->lock);
    last = object->users == 0; /* access: LOOK */
    object->released += last;
    pthread_mutex_unlock(&object->lock);
}

static void *drops(void *arg)
{
    drop(&objects[(long)arg]);
    return NULL;
}

int main(void)
{
    int twice = 0;
    for (int i = 0; i < MEETINGS; i++) {
        pthread_mutex_init(&objects[i].lock, NULL);
        objects[i].users = 2;
    }
    meet(drops, drops);
    for (int i = 0; i < MEETINGS; i++)
        twice += objects[i].released > 1;
    return IS_FIXED && twice != 0;
}
