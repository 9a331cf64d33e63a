/*
 * claim: what library calls read and write is an access of their caller, at the call or at its return
 * build: -O0
 * build: -O2
 * run: x 3
 * predict: hb x 1
 * expect: data-race on fed at FED and EATEN
 * expect: data-race on got at GOT and LOOKED
 * expect: data-race on line at LINE and SCANNED
 * expect: data-race on block at BLOCK and SUMMED
 * expect: data-race on text at TEXT and MEASURED
 * expect: data-race on sent at SENT and CHANGED
 * expect: data-race on said at SAID and TURNED
 * expect: data-race on kept at KEPT and SPOILED
 * expect: data-race on sorted at SORTED and PICKED
 * expect: data-race on error at ERROR and BLAMED
 * expect: data-race on head[3] at PARTS and HEAD
 * expect: data-race on tail[3] at PARTS and TAIL
 * expect: data-race on heard[3] at HEARD and TOLD
 * expect: data-race on given[2] at GIVEN and GRABBED
 * expect: data-race on spoken[2] at SPOKEN and SILENCED
 * expect: data-race on * at GOTLINE and READLINE
 * expect: data-race on * at INLINED and FOLDED
 * expect: data-race on number at SCAN and NUMBER
 * expect: data-race on small at SCAN and SMALL
 * expect: data-race on word at SCAN and WORD
 * expect: data-race on letters at SCAN and LETTERS
 * expect: data-race on early at FROM and EARLY
 * expect: data-race on read2[1] at READ2 and SEEN2
 * expect: data-race on shown at SHOWN and HIDDEN
 * expect: data-race on printed at PRINTED and BLOTTED
 * expect: data-race on made at MADE and TAKEN
 * never: late
 * never: word[5]
 * never: cut
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CALLED = 0123 };

static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

static char fed[16], got[16], line[16], block[16], text[16], sent[16] = "sent", said[16] = "said\n",
            kept[16] = "kept";
static char error[64], head[4], tail[8], heard[8], given[8] = "given", spoken[8] = "spoken";
static char *written;
static char *inlined; /* by getline, which is a function of the header with -O2 */
static long sorted[4] = {3, 1, 2, 0};
static long number;
static short small;
static char word[8], letters[4], read2[4];
static char shown[8] = "shown", printed[8] = "printed", cut[8] = "cut";
static char *made;
static int early, late;
static volatile char sink;

static int compare(const void *a, const void *b)
{
    return *(const long *)a < *(const long *)b ? -1 : 1;
}

/* The last four bytes of the tail are not filled. */
static void call_with_parts(int in, int out, int socket, int peer)
{
    struct iovec parts[2] = {{head, sizeof(head)}, {tail, sizeof(tail)}}, one = {given, 5};
    struct iovec to = {heard, sizeof(heard)}, from = {spoken, 6};
    struct msghdr hears = {.msg_iov = &to, .msg_iovlen = 1};
    struct msghdr speaks = {.msg_iov = &from, .msg_iovlen = 1};

    if (write(out, "12345678", 8) != 8 || send(peer, "1234", 4, 0) != 4)
        abort();
    if (readv(in, parts, 2) != 8) /* race: PARTS */
        abort();
    if (recvmsg(socket, &hears, 0) != 4) /* race: HEARD */
        abort();
    if (writev(out, &one, 1) != 5) /* race: GIVEN */
        abort();
    if (sendmsg(peer, &speaks, 0) != 6) /* race: SPOKEN */
        abort();
}

static void scan(void)
{
    FILE *in = fopen("/proc/sys/kernel/ostype", "r");
    struct iovec part = {read2, sizeof(read2)};

    /* What is not reached, dropped or behind the end of the word is not touched. */
    if (sscanf("12 13 14 four abc", "%ld %*d %hd %s %3c", &number, &small, word, letters) != 4) /* race: SCAN */
        abort();
    if (sscanf("7 x", "%d %d", &early, &late) != 1) /* race: FROM */
        abort();
    if (!in || preadv2(fileno(in), &part, 1, 0, 0) < 2) /* race: READ2 */
        abort();
    fclose(in);
}

/* How far a string with a precision is read depends on what is in it. */
static void print(FILE *nowhere)
{
    char copy[64];

    snprintf(copy, sizeof(copy), "%*d%% %-8s %.*s", 3, 5, shown, 0, cut); /* race: SHOWN */
    fprintf(nowhere, "%d %m %s\n", 7, printed); /* race: PRINTED */
    if (asprintf(&made, "%d", 12) != 2) /* race: MADE */
        abort();
}

static void *call(void *unused)
{
    int pipes[2], pair[2];
    size_t room = 0, more = 0;
    FILE *zero = fopen("/dev/zero", "r"), *nowhere = fopen("/dev/null", "w");
    FILE *status = fopen("/proc/self/status", "r");

    if (!zero || !nowhere || !status || pipe(pipes) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return unused;
    if (write(pipes[1], "12345678", 8) != 8 || send(pair[1], "1234", 4, 0) != 4)
        return unused;
    if (read(pipes[0], fed, sizeof(fed)) != 8) /* race: FED */
        abort();
    if (recv(pair[0], got, sizeof(got), 0) != 4) /* race: GOT */
        abort();
    if (!fgets(line, sizeof(line), status)) /* race: LINE */
        abort();
    if (getdelim(&written, &room, '\n', status) < 2) /* race: GOTLINE */
        abort();
    if (getline(&inlined, &more, status) < 2) /* race: INLINED */
        abort();
    strerror_r(99999, error, sizeof(error)); /* race: ERROR */
    scan();
    call_with_parts(pipes[0], pipes[1], pair[0], pair[1]);
    if (fread(block, 4, 2, zero) != 2) /* race: BLOCK */
        abort();
    snprintf(text, sizeof(text), "%d", pipes[0]); /* race: TEXT */
    if (write(pipes[1], sent, 4) != 4) /* race: SENT */
        abort();
    fputs(said, nowhere); /* race: SAID */
    fwrite(kept, 1, 4, nowhere); /* race: KEPT */
    qsort(sorted, 4, sizeof(sorted[0]), compare); /* race: SORTED */
    print(nowhere);
    umask(CALLED);
    return unused;
}

static void *look(void *unused)
{
    for (int i = 0; i < 10000 && umask(0) != CALLED; i++)
        usleep(1000); /* nothing that is known orders them, but they do not meet */
    pthread_mutex_lock(&own); /* what comes now is recorded behind the calls */
    pthread_mutex_unlock(&own);
    sink = fed[7]; /* race: EATEN */
    sink = got[3]; /* race: LOOKED */
    sink = line[0]; /* race: SCANNED */
    sink = block[7]; /* race: SUMMED */
    sink = text[1]; /* race: MEASURED */
    sent[0] = 'S'; /* race: CHANGED */
    said[0] = 'S'; /* race: TURNED */
    kept[3] = 'T'; /* race: SPOILED */
    sink = (char)sorted[3]; /* race: PICKED */
    sink = error[3]; /* race: BLAMED */
    sink = head[3]; /* race: HEAD */
    tail[3] = 'T'; /* race: TAIL */
    tail[4] = 'T'; /* nobody has touched that */
    sink = heard[3]; /* race: TOLD */
    given[2] = 'G'; /* race: GRABBED */
    spoken[2] = 'S'; /* race: SILENCED */
    if (written)
        sink = written[1]; /* race: READLINE */
    if (inlined)
        sink = inlined[1]; /* race: FOLDED */
    sink = (char)number;  /* race: NUMBER */
    sink = (char)small;   /* race: SMALL */
    sink = word[4];       /* race: WORD */
    sink = word[5];       /* nobody has touched that, */
    sink = (char)late;    /* nor that */
    sink = letters[2];    /* race: LETTERS */
    sink = (char)early;   /* race: EARLY */
    sink = read2[1];      /* race: SEEN2 */
    shown[1] = 'S';       /* race: HIDDEN */
    printed[1] = 'P';     /* race: BLOTTED */
    cut[1] = 'C';         /* nobody has touched that */
    sink = (char)!made;   /* race: TAKEN */
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    umask(0);
    pthread_create(&threads[0], NULL, call, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
