/*
 * claim: a crawler whose functions each do one thing under one lock is atomic
 * build: -O1 -fno-inline
 * expect: none
 *
 * In the place of `hedc` of von Praun & Gross. The site is a graph in memory. Workers take pages
 * from a common list and put those that they link to into it, each page once. crawler_step has two
 * locks one after the other, which is too much for reduction; but nobody changes both things.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 3, LINKS = 4 };

struct page {
    int links[LINKS]; /* numbers of pages; nobody writes to them while the crawler runs */
    int size;
};

/* What a worker found out about a page. Its own, until it is among the results. */
struct result {
    struct result *next;
    int page, size, links;
};

static struct page *site;
static int pages;

/* Pages to be fetched. `busy` workers may still find more. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool *seen;
    int *list;
    int count, busy;
} frontier = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static struct {
    pthread_mutex_t lock;
    struct result *first;
    int count;
} results = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
    pthread_mutex_t lock;
    int largest; /* pages beyond this size are not read for links */
} limit = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct worker {
    pthread_mutex_t lock; /* of `fetched` */
    int fetched;
};

/* The next page, or -1 when there will be none. */
static int take(void)
{
    int page = -1;

    pthread_mutex_lock(&frontier.lock);
    while (frontier.count == 0 && frontier.busy > 0)
        pthread_cond_wait(&frontier.changed, &frontier.lock);
    if (frontier.count > 0) {
        page = frontier.list[--frontier.count];
        frontier.busy++;
    }
    pthread_mutex_unlock(&frontier.lock);
    return page;
}

static void done(void)
{
    pthread_mutex_lock(&frontier.lock);
    frontier.busy--;
    pthread_cond_broadcast(&frontier.changed);
    pthread_mutex_unlock(&frontier.lock);
}

/* All links of a page at once. */
void frontier_add(const int *links, int count)
{
    pthread_mutex_lock(&frontier.lock);
    for (int i = 0; i < count; i++) {
        if (!frontier.seen[links[i]]) {
            frontier.seen[links[i]] = true;
            frontier.list[frontier.count++] = links[i];
        }
    }
    pthread_cond_broadcast(&frontier.changed);
    pthread_mutex_unlock(&frontier.lock);
}

/* Nobody else has the result yet: that it is put together in two steps is no matter. */
struct result *result_create(int page)
{
    struct result *result = calloc(1, sizeof(*result));

    if (!result)
        abort();
    result->page = page;
    result->size = site[page].size;
    for (int i = 0; i < LINKS; i++)
        result->links += site[page].links[i] != page;
    return result;
}

void results_add(struct result *result)
{
    pthread_mutex_lock(&results.lock);
    result->next = results.first;
    results.first = result;
    results.count++;
    pthread_mutex_unlock(&results.lock);
}

/* Counts the page and says whether its links are wanted. Two locks, but the others that take them,
 * crawler_fetched and crawler_limit, take one of them each, and in this order there is no harm. */
bool crawler_step(struct worker *worker, int page)
{
    int largest;

    pthread_mutex_lock(&worker->lock);
    worker->fetched++;
    pthread_mutex_unlock(&worker->lock);
    pthread_mutex_lock(&limit.lock);
    largest = limit.largest;
    pthread_mutex_unlock(&limit.lock);
    return site[page].size <= largest;
}

void crawler_limit(int largest)
{
    pthread_mutex_lock(&limit.lock);
    limit.largest = largest;
    pthread_mutex_unlock(&limit.lock);
}

int crawler_fetched(struct worker *worker)
{
    int fetched;

    pthread_mutex_lock(&worker->lock);
    fetched = worker->fetched;
    pthread_mutex_unlock(&worker->lock);
    return fetched;
}

static void *run_worker(void *arg)
{
    struct worker *worker = arg;
    int page;

    while ((page = take()) >= 0) {
        results_add(result_create(page));
        if (crawler_step(worker, page))
            frontier_add(site[page].links, LINKS);
        done();
    }
    return NULL;
}

/* Every page can be reached: it is linked to by the one before it. */
static void make_site(void)
{
    unsigned seed = 5;

    site = calloc((size_t)pages, sizeof(*site));
    frontier.seen = calloc((size_t)pages, sizeof(bool));
    frontier.list = calloc((size_t)pages, sizeof(int));
    if (!site || !frontier.seen || !frontier.list)
        abort();
    for (int page = 0; page < pages; page++) {
        for (int i = 1; i < LINKS; i++) {
            seed = seed * 1103515245u + 12345u;
            site[page].links[i] = (int)(seed >> 16) % pages;
        }
        site[page].links[0] = (page + 1) % pages;
        site[page].size = 100 + page % 50;
    }
}

static bool is_right(const struct worker *workers)
{
    long sizes = 0, links = 0, expected = 0, fetched = 0;

    for (int page = 0; page < pages; page++)
        expected += site[page].size;
    for (struct result *result = results.first, *next; result; result = next) {
        next = result->next;
        sizes += result->size;
        links += result->links;
        free(result);
    }
    for (int i = 0; i < WORKERS; i++)
        fetched += workers[i].fetched;
    printf("%ld links\n", links);
    return sizes == expected && results.count == pages && fetched == pages;
}

int main(int argc, char **argv)
{
    static struct worker workers[WORKERS];
    pthread_t threads[WORKERS];
    const int start = 0;
    bool right;

    pages = argc > 1 ? atoi(argv[1]) : 60;
    if (pages < 2)
        return 2;
    make_site();
    limit.largest = 1000;
    frontier_add(&start, 1);
    for (int i = 0; i < WORKERS; i++) {
        pthread_mutex_init(&workers[i].lock, NULL);
        pthread_create(&threads[i], NULL, run_worker, &workers[i]);
    }
    crawler_limit(2000);
    for (int i = 0; i < WORKERS; i++)
        printf("worker %d: %s\n", i,
               crawler_fetched(&workers[i]) < 0 ? "less than none" : "at work");
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    right = is_right(workers);
    printf("%s\n", right ? "every page once" : "not every page once");
    free(site);
    free(frontier.seen);
    free(frontier.list);
    return !right;
}
