/*
 * claim: bit-fields in different memory locations (C11 3.14) are never reported
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/30 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#include <pthread.h>

enum { ROUNDS = 800 };

static struct {
    unsigned left : 5;
    unsigned : 0;
    unsigned right : 11;
    char between; /* a member that is no bit-field separates as well */
    unsigned char third : 3;
} fields;

static void *work(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        switch (me) {
        case 0:
            fields.left++;
            break;
        case 1:
            fields.right++;
            break;
        case 2:
            fields.between++;
            break;
        default:
            fields.third++;
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return fields.left != ROUNDS % 32 || fields.right != ROUNDS % 2048 ||
           fields.between != (char)ROUNDS || fields.third != ROUNDS % 8;
}
