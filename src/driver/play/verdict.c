#include "driver/play/verdict.h"

#include <ctype.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static const char *const words[DARN_VERDICTS] = {
    [DARN_VERDICT_NONE] = "none",           [DARN_VERDICT_CUT] = "cut",
    [DARN_VERDICT_OK] = "ok",               [DARN_VERDICT_CRASH] = "crash",
    [DARN_VERDICT_ABORT] = "abort",         [DARN_VERDICT_ASSERTION] = "assertion",
    [DARN_VERDICT_SANITIZER] = "sanitizer", [DARN_VERDICT_DEADLOCK] = "deadlock",
    [DARN_VERDICT_HANG] = "hang",           [DARN_VERDICT_EXIT] = "exit",
    [DARN_VERDICT_OUTPUT] = "output",       [DARN_VERDICT_ORACLE] = "oracle",
};

const char *darn_verdict_word(enum darn_verdict_kind kind)
{
    return kind < DARN_VERDICTS ? words[kind] : words[DARN_VERDICT_NONE];
}

enum darn_verdict_kind darn_verdict_named(const char *word)
{
    for (int i = 0; i < DARN_VERDICTS; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return DARN_VERDICT_NONE;
}

/* A line of the output, without its end. */
struct line {
    const char *start;
    size_t length;
};

/* The line around `at`. */
static struct line line_at(const struct darn_evidence *evidence, const char *at)
{
    const char *end = evidence->output + evidence->length;
    struct line line = {at, 0};

    while (line.start > evidence->output && line.start[-1] != '\n')
        line.start--;
    while (line.start + line.length < end && line.start[line.length] != '\n')
        line.length++;
    return line;
}

/* The first time that the output has this text; NULL when it has not. */
static const char *find(const struct darn_evidence *evidence, const char *text)
{
    if (!evidence->length)
        return NULL;
    return memmem(evidence->output, evidence->length, text, strlen(text));
}

/* Where UBSan speaks: "prog.c:12:3: runtime error: …". A program may say `runtime error`, too, but
 * not after a number. */
static const char *find_ubsan(const struct darn_evidence *evidence)
{
    const char *at = find(evidence, ": runtime error: ");

    return at && at > evidence->output && isdigit((unsigned char)at[-1]) ? at : NULL;
}

/* Where a sanitizer begins to report, up to the end of that line. */
static struct line sanitizer_line(const struct darn_evidence *evidence)
{
    static const char *const marks[] = {
        "ERROR: AddressSanitizer",  "ERROR: HWAddressSanitizer", "ERROR: LeakSanitizer",
        "WARNING: MemorySanitizer", "WARNING: ThreadSanitizer",
    };
    const char *at = NULL, *found;
    struct line line;

    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        found = find(evidence, marks[i]);
        if (found && (!at || found < at))
            at = found;
    }
    if (!at) {
        at = find_ubsan(evidence);
        return at ? line_at(evidence, at) : (struct line){NULL, 0};
    }
    line = line_at(evidence, at);
    at = strchr(at, ' ') + 1; /* after "ERROR:" */
    return (struct line){at, line.length - (size_t)(at - line.start)};
}

/* "prog: prog.c:12: main: Assertion `x' failed.", without the name of the program. */
static struct line assertion_line(const struct darn_evidence *evidence)
{
    const char *at = find(evidence, "Assertion "), *blank;
    struct line line;

    if (!at)
        return (struct line){NULL, 0};
    line = line_at(evidence, at);
    blank = memmem(line.start, (size_t)(at - line.start), ": ", 2);
    if (blank && memmem(blank + 2, (size_t)(at - blank) - 2, ": ", 2)) {
        line.length -= (size_t)(blank + 2 - line.start);
        line.start = blank + 2;
    }
    return line;
}

static enum darn_verdict_kind verdict_of_status(const struct darn_evidence *evidence)
{
    int status = evidence->result->status;

    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGABRT)
        return DARN_VERDICT_CRASH;
    if (WIFSIGNALED(status))
        return assertion_line(evidence).start ? DARN_VERDICT_ASSERTION : DARN_VERDICT_ABORT;
    if (evidence->asked)
        return evidence->refused ? DARN_VERDICT_ORACLE : DARN_VERDICT_OK;
    if (WEXITSTATUS(status))
        return DARN_VERDICT_EXIT;
    return evidence->differs ? DARN_VERDICT_OUTPUT : DARN_VERDICT_OK;
}

enum darn_verdict_kind darn_verdict_of(const struct darn_evidence *evidence)
{
    /* Who has begun to report stands there for good, or for long. */
    if (evidence->how == DARN_SERVER_TIMEOUT)
        return sanitizer_line(evidence).start ? DARN_VERDICT_SANITIZER : DARN_VERDICT_CUT;
    if (evidence->how != DARN_SERVER_RAN)
        return DARN_VERDICT_NONE;
    switch (evidence->result->end) {
    case DARN_END_DEADLOCK:
        return DARN_VERDICT_DEADLOCK;
    case DARN_END_LIVELOCK:
        return DARN_VERDICT_HANG;
    case DARN_END_STEPS:
        return DARN_VERDICT_CUT;
    case DARN_END_EXIT:
        return sanitizer_line(evidence).start ? DARN_VERDICT_SANITIZER
                                              : verdict_of_status(evidence);
    default:
        return DARN_VERDICT_NONE;
    }
}

/* Whether a thread does that to itself; all others are sent. */
static bool is_fault(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
           number == SIGTRAP || number == SIGSYS;
}

/* " in T2", where it is known. */
static void describe_signal(const struct darn_evidence *evidence, char *to, size_t size)
{
    const struct darn_result *result = evidence->result;
    int number = WTERMSIG(result->status);
    const char *name = sigabbrev_np(number);
    char thread[32] = "";

    const char *verb = "killed by";

    if (result->signal == (uint32_t)number)
        snprintf(thread, sizeof(thread), " in T%" PRIu32, result->signal_thread);
    if (*thread || is_fault(number))
        verb = "crashed with";
    if (name)
        snprintf(to, size, "%s SIG%s%s", verb, name, thread);
    else
        snprintf(to, size, "%s signal %d%s", verb, number, thread);
}

/* What was printed last tells why: "terminate called after throwing …". */
static void describe_abort(const struct darn_evidence *evidence, char *to, size_t size)
{
    const char *end = evidence->output + evidence->length;
    struct line line;

    while (evidence->length && end > evidence->output && end[-1] == '\n')
        end--;
    if (!evidence->length || end == evidence->output) {
        snprintf(to, size, "aborted");
        return;
    }
    line = line_at(evidence, end - 1);
    snprintf(to, size, "aborted: %.*s", (int)line.length, line.start);
}

static void describe_cut(const struct darn_evidence *evidence, char *to, size_t size)
{
    if (evidence->how == DARN_SERVER_TIMEOUT)
        snprintf(to, size, "cut off after %g s", evidence->timeout_ms / 1000.0);
    else
        snprintf(to, size, "cut off after %" PRIu64 " steps", evidence->result->steps);
}

void darn_verdict_text(const struct darn_evidence *evidence, enum darn_verdict_kind kind, char *to,
                       size_t size)
{
    struct line line;

    to[0] = '\0';
    switch (kind) {
    case DARN_VERDICT_CRASH:
        describe_signal(evidence, to, size);
        break;
    case DARN_VERDICT_ABORT:
        describe_abort(evidence, to, size);
        break;
    case DARN_VERDICT_ASSERTION:
        line = assertion_line(evidence);
        snprintf(to, size, "aborted: %.*s", (int)line.length, line.start);
        break;
    case DARN_VERDICT_SANITIZER:
        line = sanitizer_line(evidence);
        snprintf(to, size, "%.*s", (int)line.length, line.start);
        break;
    case DARN_VERDICT_DEADLOCK:
        snprintf(to, size, "deadlock: no thread can go on");
        break;
    case DARN_VERDICT_HANG:
        snprintf(to, size, "hangs: a state came again, with every thread given its turn");
        break;
    case DARN_VERDICT_CUT:
        describe_cut(evidence, to, size);
        break;
    case DARN_VERDICT_EXIT:
        snprintf(to, size, "exited with status %d", WEXITSTATUS(evidence->result->status));
        break;
    case DARN_VERDICT_OUTPUT:
        snprintf(to, size, "printed something else");
        break;
    case DARN_VERDICT_ORACLE:
        snprintf(to, size, "the oracle says no");
        break;
    default:
        break;
    }
}
