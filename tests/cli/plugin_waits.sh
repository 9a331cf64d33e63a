#!/bin/bash
# needs: compiler
# more: all levels of optimization
# Waits that are not in a loop: the compiler warns, and does nothing else. The program says itself
# which lines are warned about. (plugin/sites/waits.* show what is noted about waits in loops.)
. "$(dirname "$0")/plugin.bash"
export PATH=$bin:$PATH

cat >wait.c <<'END'
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <threads.h>
struct queue { pthread_mutex_t lock; pthread_cond_t changed; int count; };
struct event { struct queue *queue; cnd_t changed; mtx_t lock; };
static pthread_mutex_t lock; static pthread_cond_t changed; static int ready; static struct queue *work;
void if_not_while(void) {
    pthread_mutex_lock(&lock);
    if (!ready)
        pthread_cond_wait(&changed, &lock); /* warning */
    pthread_mutex_unlock(&lock);
}
void without_a_test(void) { pthread_cond_wait(&changed, &lock); } /* warning */
void of_a_global(void) { pthread_cond_wait(&work->changed, &work->lock); } /* warning */
int take(struct queue *q) {
    if (q->count == 0)
        pthread_cond_wait(&q->changed, &q->lock); /* warning */
    return q->count--;
}
static int is_empty(struct queue *q) { return q->count == 0; }
void asks(struct queue *q) { if (is_empty(q)) pthread_cond_wait(&q->changed, &q->lock); } /* warning */
void of_c11(struct event *e) { if (!e->queue->count) cnd_wait(&e->changed, &e->lock); } /* warning */
int until(const struct timespec *t) { return ready || pthread_cond_timedwait(&changed, &lock, t); } /* warning */

void in_while(void) { while (!ready) pthread_cond_wait(&changed, &lock); }
void in_do(void) { do pthread_cond_wait(&changed, &lock); while (!ready); }
void by_goto(void) { again: if (!ready) { pthread_cond_wait(&changed, &lock); goto again; } }
void in_a_larger_loop(void) {
    for (;;) {
        pthread_mutex_lock(&lock);
        if (!ready)
            pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
    }
}
/* Whoever calls these has the loop. */
void hands_on(struct queue *q) { pthread_cond_wait(&q->changed, &q->lock); }
void hands_on_deeper(struct event *e) { pthread_cond_wait(&e->queue->changed, &e->queue->lock); }
int hands_on_checked(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t) {
    if (!c || !m)
        return EINVAL;
    if (t)
        return pthread_cond_timedwait(c, m, t);
    return pthread_cond_wait(c, m);
}
int hands_on_locked(struct queue *q) {
    int error = pthread_mutex_lock(&q->lock);
    if (error)
        return error;
    assert(q->count >= 0);
    pthread_cond_wait(&q->changed, &q->lock);
    return pthread_mutex_unlock(&q->lock);
}
END
warned_lines() { sed -n "s/^$1:\([0-9]*\):[0-9]*: warning: .* \[notification\]$/\1/p" .err; }

claim "a warning for each wait that should be in a loop, and for no other"
grep -n 'warning \*/' wait.c | cut -d : -f 1 >expected
for level in $levels; do
    try darn-cc $level -c wait.c -o wait.o
    expect_status 0
    expect_same "$level: $(warned_lines wait.c)" "$level: $(cat expected)"
    expect_same "$(wc -l <.err)" "$(wc -l <expected)"
done

claim "it looks like the compiler's"
expect_same "$(head -n 1 .err)" "wait.c:11:9: warning: 'pthread_cond_wait' is not in a loop: it may \
wake up without being signalled, test the condition again [notification]"
expect_has "$err" "wait.c:23:54: warning: 'cnd_wait' is not"

claim "it is no error, and can be turned off"
build darn-cc -w -c wait.c
build darn-cc --darn-no-warnings -c wait.c
build env DARN_WARNINGS=0 darn-cc -c wait.c
try darn-cc -Wall -Wextra -Werror -Wno-unused-function -c wait.c -o strict.o
expect_status 0
[ -s strict.o ] || fault "there is no object"

cat >wait.cc <<'END'
#include <chrono>
#include <condition_variable>
#include <mutex>
std::mutex lock;
std::condition_variable changed;
bool ready;
template <typename T> void many(T value) {
    std::unique_lock<std::mutex> guard(lock);
    if (value)
        changed.wait(guard); // warning
}
void bare() {
    std::unique_lock<std::mutex> guard(lock);
    changed.wait(guard); // warning
}
struct event {
    std::mutex lock;
    std::condition_variable changed;
    std::condition_variable_any any;
    bool over = false;
    void once() {
        std::unique_lock<std::mutex> guard(lock);
        if (!over)
            changed.wait(guard); // warning
    }
    void all() {
        std::unique_lock<std::mutex> guard(lock);
        changed.wait(guard, [this] { return over; });
        changed.wait_for(guard, std::chrono::seconds(1), [&] { return over; });
        changed.wait_for(guard, std::chrono::seconds(1));
        any.wait(guard, [&] { return over && ready; });
        while (!over)
            changed.wait(guard);
    }
};
void use(event &e) {
    many(1);
    many('1');
    e.once();
    e.all();
}
END

claim "in C++, once for each place, and not for what the library does"
grep -n '// warning' wait.cc | cut -d : -f 1 >expected
for level in $levels; do
    try darn-c++ $level -c wait.cc -o wait.o
    expect_status 0
    expect_same "$level: $(warned_lines wait.cc | sort -n)" "$level: $(cat expected)"
    expect_same "$(wc -l <.err)" "$(wc -l <expected)"
done
expect_has "$err" "'std::condition_variable::wait' is not in a loop"

claim "what a lambda tests is known by the names outside of it"
for level in $levels; do
    build darn-c++ -w $level -c wait.cc -o wait.o
    expect_has "$level $(sites wait.o)" "wait.cc:28:29)> wait - 0 this->over"
done

finish
