/*
 * The rules: what each kind of finding is, for people who have never heard of it.
 */
#include <string.h>

#include "report/export/sarif.h"

static const struct rule {
    const char *id, *name, *in_short, *at_length, *help;
} rules[] = {
    {
        .id = "data-race",
        .name = "DataRace",
        .in_short = "Two threads access the same memory at the same time, and one of them writes.",
        .at_length = "Two threads access the same memory, at least one of them writes, and nothing "
                     "orders the two accesses. C and C++ give such a program no meaning: values "
                     "may be lost, torn or stale, and the compiler may assume that it never "
                     "happens.",
        .help = "Let both accesses hold the same lock, make the variable atomic, or order the two "
                "by starting or joining a thread. `volatile` does not help. An observed race has "
                "happened; a predicted one could happen in another schedule of the same run.",
    },
    {
        .id = "atomicity-violation",
        .name = "AtomicityViolation",
        .in_short = "A thread comes in between two steps of another that belong together.",
        .at_length = "A thread makes several accesses that are meant as one step, and another "
                     "thread accesses the same memory in between. Each access may be under a lock: "
                     "the lock was released between them.",
        .help = "Hold one lock from the first access to the last, or use one atomic operation "
                "(compare and exchange, fetch and add) for all of them.",
    },
    {
        .id = "high-level-race",
        .name = "HighLevelDataRace",
        .in_short = "One thread handles two variables together, another one by one.",
        .at_length = "Under one lock, a thread accesses two variables in one critical section, and "
                     "another thread in two. Each access is guarded, but between the two sections "
                     "the second thread may see or leave one variable new and the other one old.",
        .help = "If the variables belong together, handle them in one critical section in each "
                "thread. If they do not, the finding is harmless.",
    },
    {
        .id = "deadlock",
        .name = "Deadlock",
        .in_short = "Threads wait for each other in a circle.",
        .at_length = "Each of the threads holds what the next one waits for, and none can go on. "
                     "A predicted deadlock is a circle in the order in which locks are taken, "
                     "which another schedule can close.",
        .help = "Take the locks in the same order everywhere, or take all of them at once "
                "(std::scoped_lock), or use trylock and step back.",
    },
    {
        .id = "order-violation",
        .name = "OrderViolation",
        .in_short = "Two operations come in an order that the program cannot bear.",
        .at_length =
            "One thread has to do something before another one does what builds on it, and "
            "nothing makes the other one wait: it is used before it is set up, or it is "
            "freed, closed or destroyed while it is still used. Both may be under one lock, "
            "which keeps them apart and in no order.",
        .help = "Set it up before the thread that uses it is started; join the threads that use it "
                "before it ends; or wait for a flag that says so, with a condition variable.",
    },
    {
        .id = "notification",
        .name = "MishandledNotification",
        .in_short = "A thread waits for a signal that is lost, or that nobody sends.",
        .at_length = "A condition variable, semaphore or barrier is used so that a thread may wait "
                     "for ever: the signal comes before the wait, goes to another waiter, or "
                     "never comes.",
        .help = "Test the condition in a loop, under the mutex that also guards its change; signal "
                "after the change; use broadcast where threads wait for different things.",
    },
    {
        .id = "sync-misuse",
        .name = "MisusedSynchronization",
        .in_short = "A lock, condition variable or barrier is used in a way that is not allowed.",
        .at_length = "A synchronization object is unlocked by who does not hold it, destroyed or "
                     "initialized while it is in use. POSIX leaves open what happens then.",
        .help = "Unlock in the thread that has locked; destroy an object when no thread can use it "
                "any more, for example after joining those that do.",
    },
    {
        .id = "failure",
        .name = "FailureUnderSchedule",
        .in_short = "The program fails under some schedules.",
        .at_length = "The program crashes, fails an assertion or does not end, depending on the "
                     "order in which its threads run.",
        .help = "Replay the schedule with `darn replay` and step through it in a debugger.",
    },
};

#define RULES ((int)(sizeof(rules) / sizeof(rules[0])))

int darn_sarif_rule(const char *kind)
{
    for (int i = 0; i < RULES; i++)
        if (strcmp(rules[i].id, kind) == 0)
            return i;
    return -1;
}

void darn_sarif_text(struct darn_json *json, const char *key, const char *text)
{
    darn_json_open(json, key, '{');
    darn_json_string(json, "text", text);
    darn_json_close(json, '}');
}

static void put_rule(struct darn_json *json, const struct rule *rule)
{
    darn_json_open(json, NULL, '{');
    darn_json_string(json, "id", rule->id);
    darn_json_string(json, "name", rule->name);
    darn_sarif_text(json, "shortDescription", rule->in_short);
    darn_sarif_text(json, "fullDescription", rule->at_length);
    darn_sarif_text(json, "help", rule->help);
    darn_json_open(json, "defaultConfiguration", '{');
    darn_json_string(json, "level", "error");
    darn_json_close(json, '}');
    darn_json_open(json, "properties", '{');
    darn_json_open(json, "tags", '[');
    darn_json_string(json, NULL, "concurrency");
    darn_json_string(json, NULL, "correctness");
    darn_json_close(json, ']');
    darn_json_string(json, "precision", "very-high");
    darn_json_string(json, "problem.severity", "error");
    darn_json_close(json, '}');
    darn_json_close(json, '}');
}

void darn_sarif_rules(struct darn_json *json)
{
    darn_json_open(json, "rules", '[');
    for (int i = 0; i < RULES; i++)
        put_rule(json, &rules[i]);
    darn_json_close(json, ']');
}
