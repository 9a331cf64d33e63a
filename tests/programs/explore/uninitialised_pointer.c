/*
 * claim: a thread uses a pointer that its creator sets only after it has created the thread
 * build: -O1
 * bug: crash
 * within: 20
 * fixed: yes
 */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

struct channel {
    pthread_mutex_t lock;
    int messages;
};

static struct channel storage = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct channel *channel;

static void *work(void *arg)
{
    usleep(30000); /* until there is a message: usually there is a channel by then */
    pthread_mutex_lock(&channel->lock);
    channel->messages++;
    pthread_mutex_unlock(&channel->lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
#ifdef FIXED
    channel = &storage;
    pthread_create(&thread, NULL, work, NULL);
#else
    pthread_create(&thread, NULL, work, NULL);
    channel = &storage;
#endif
    pthread_join(thread, NULL);
    return storage.messages != 1;
}
