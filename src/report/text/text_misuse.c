/* A synchronization object that is misused: what is said about it. */
#include <string.h>

#include "report/text/phrase.h"
#include "report/text/text_page.h"

#define DESTROY_LATER                                                                              \
    "destroy it when no thread can come to it any more: join the threads first, or count "         \
    "references"
#define INIT_ONCE                                                                                  \
    "initialise it once, before other threads can come to it: where it is defined "                \
    "(PTHREAD_MUTEX_INITIALIZER), before they are created, or by pthread_once"

static const struct {
    const char *reason, *why, *advice;
} faults[] = {
    {"held-by-other",
     "only the thread that took a lock may give it back; from now on others come in while the "
     "holder still counts on it",
     "unlock it in the thread that locked it, and only after a lock or trylock that succeeded; to "
     "let another thread go on, use a semaphore or a condition variable"},
    {"not-held",
     "the behaviour is undefined; a moment later it may give back what another thread has taken",
     "unlock it once for each lock or trylock that succeeded: look for a path that unlocks twice, "
     "or without having locked"},
    {"destroyed-while-held",
     "the behaviour is undefined: a lock may be destroyed only when nobody holds it, and whoever "
     "holds it will use it once more",
     DESTROY_LATER},
    {"destroyed-while-awaited",
     "the behaviour is undefined: nothing may be destroyed that a thread waits for or will take "
     "again when its wait ends",
     DESTROY_LATER},
    {"initialised-while-held",
     "the behaviour is undefined: afterwards it is free, and others come in while the holder still "
     "counts on it",
     INIT_ONCE},
    {"initialised-while-awaited",
     "the behaviour is undefined: that somebody waits is forgotten, and nobody may wake it",
     INIT_ONCE},
};

#define FAULTS (sizeof(faults) / sizeof(faults[0]))

static size_t fault_of(const struct darn_finding *finding)
{
    size_t at = 0;

    while (at < FAULTS && !(finding->reason && strcmp(finding->reason, faults[at].reason) == 0))
        at++;
    return at;
}

static const char *verb_of(enum darn_op op)
{
    return op == DARN_OP_UNLOCK ? "unlocks" : op == DARN_OP_DESTROY ? "destroys" : "initialises";
}

static bool is_same(const char *one, const char *other)
{
    return one && other && strcmp(one, other) == 0;
}

/* ` while T1 holds it` */
static void say_circumstance(struct darn_page *page)
{
    const struct darn_finding_access *deed = &page->finding->accesses[0];
    const struct darn_finding_access *other = &page->finding->accesses[1];

    if (page->finding->access_count < 2)
        darn_say(&page->ink, ", but nobody holds it");
    else if (is_same(deed->thread, other->thread))
        darn_say(&page->ink, " while holding it");
    else if (other->op == DARN_OP_HOLD)
        darn_say(&page->ink, " while %s holds it", darn_phrase_short(other->thread));
    else
        darn_say(&page->ink, " while %s waits %s it", darn_phrase_short(other->thread),
                 other->mutex.address == deed->target.address ? "with" : "for");
}

void darn_page_misuse(struct darn_page *page)
{
    const struct darn_finding_access *deed = &page->finding->accesses[0];

    darn_say(&page->ink, "misuse of ");
    darn_phrase_lock(&page->ink, page->finding, &deed->target);
    darn_say(&page->ink, ": %s %s it", darn_phrase_short(deed->thread), verb_of(deed->op));
    say_circumstance(page);
}

void darn_page_misuse_step(struct darn_page *page, const struct darn_finding_access *access)
{
    if (access->op == DARN_OP_HOLD) {
        darn_say(&page->ink, "took ");
        darn_phrase_lock(&page->ink, page->finding, &access->target);
        darn_say(&page->ink, " here, and holds it");
        return;
    }
    darn_say(&page->ink, "%s ", verb_of(access->op));
    darn_phrase_lock(&page->ink, page->finding, &access->target);
    darn_say(&page->ink, ", ");
    darn_phrase_locks(&page->ink, page->finding, access);
}

void darn_page_misuse_why(struct darn_page *page)
{
    size_t fault = fault_of(page->finding);

    if (fault == FAULTS)
        return;
    darn_page_label(page, "why:");
    darn_say(&page->ink, "%s\n", faults[fault].why);
}

const char *darn_misuse_advice(const struct darn_finding *finding)
{
    size_t fault = fault_of(finding);

    if (finding->access_count > 1 && finding->accesses[0].op == DARN_OP_DESTROY &&
        is_same(finding->accesses[0].thread, finding->accesses[1].thread))
        return "unlock it before it is destroyed";
    return fault < FAULTS ? faults[fault].advice : "use it as POSIX says";
}
