#include "engine/atomicity/serial_clocks.h"

#include <stdlib.h>

#include "base/grow.h"

struct node {
    uint32_t links; /* to the nodes of open transactions that it knew when it ended */
    uint32_t refs;  /* 0: free */
    bool has_ended;
    struct darn_serial_thread *owner; /* while it is open */
    struct darn_stamp stamp;          /* when it has ended: what it knew; before, slot and time */
};

struct link {
    uint32_t node, next;
};

/* Fewer nodes than this are left alone. */
#define FEW_NODES 1024u

static struct node *node_at(const struct darn_serial_clocks *serial, uint32_t node)
{
    return darn_pool_at(&serial->nodes, node);
}

static struct link *link_at(const struct darn_serial_clocks *serial, uint32_t link)
{
    return darn_pool_at(&serial->links, link);
}

void darn_serial_open(struct darn_serial_clocks *serial)
{
    serial->nodes.item = sizeof(struct node);
    serial->links.item = sizeof(struct link);
    serial->sweep_at = FEW_NODES;
}

void darn_serial_close(struct darn_serial_clocks *serial)
{
    for (size_t i = 0; i < serial->thread_capacity; i++) {
        if (serial->threads[i])
            darn_stamp_drop(&serial->clocks, &serial->threads[i]->now);
        free(serial->threads[i]);
    }
    for (uint32_t id = 1; id <= serial->nodes.fresh; id++) {
        if (node_at(serial, id)->refs)
            darn_stamp_drop(&serial->clocks, &node_at(serial, id)->stamp);
    }
    free(serial->threads);
    free(serial->live);
    free(serial->stack);
    darn_pool_free(&serial->nodes);
    darn_pool_free(&serial->links);
    darn_threads_free(&serial->numbers);
    darn_slots_free(&serial->slots);
    darn_clocks_free(&serial->clocks);
}

static void push(struct darn_serial_clocks *serial, size_t at, uint32_t node)
{
    serial->stack =
        darn_grow(serial->stack, &serial->stack_capacity, at + 1, sizeof(*serial->stack));
    serial->stack[at] = node;
}

void darn_serial_hold(struct darn_serial_clocks *serial, uint32_t id)
{
    node_at(serial, id)->refs++;
}

/* Without recursion: what a node knew may be a long chain. `base` is how much of the stack is in
 * use. */
static void drop_above(struct darn_serial_clocks *serial, uint32_t id, size_t base)
{
    size_t top = base;

    push(serial, top++, id);
    while (top > base) {
        uint32_t gone = serial->stack[--top];
        struct node *node = node_at(serial, gone);

        if (--node->refs)
            continue;
        while (node->links) {
            struct link link = *link_at(serial, node->links);

            darn_pool_give(&serial->links, node->links);
            node->links = link.next;
            push(serial, top++, link.node);
        }
        darn_stamp_drop(&serial->clocks, &node->stamp);
        darn_pool_give(&serial->nodes, gone);
    }
}

void darn_serial_drop(struct darn_serial_clocks *serial, uint32_t id)
{
    if (id)
        drop_above(serial, id, 0);
}

static void add_link(struct darn_serial_clocks *serial, struct node *node, uint32_t to)
{
    uint32_t id;

    for (id = node->links; id; id = link_at(serial, id)->next) {
        if (link_at(serial, id)->node == to)
            return;
    }
    id = darn_pool_take(&serial->links);
    *link_at(serial, id) = (struct link){to, node->links};
    node->links = id;
    darn_serial_hold(serial, to);
}

/* Where the link to a node that has ended is named; NULL when there is none. */
static uint32_t *find_ended(struct darn_serial_clocks *serial, uint32_t id)
{
    uint32_t *link = &node_at(serial, id)->links;

    while (*link && !node_at(serial, link_at(serial, *link)->node)->has_ended)
        link = &link_at(serial, *link)->next;
    return *link ? link : NULL;
}

/* The node comes after all that the other one does, which knows open transactions only. */
static void absorb(struct darn_serial_clocks *serial, uint32_t id, uint32_t *where, size_t base)
{
    struct node *node = node_at(serial, id);
    uint32_t link = *where, other = link_at(serial, link)->node;

    *where = link_at(serial, link)->next;
    darn_pool_give(&serial->links, link);
    darn_stamp_join(&serial->clocks, &node->stamp, &node_at(serial, other)->stamp);
    for (link = node_at(serial, other)->links; link; link = link_at(serial, link)->next)
        add_link(serial, node, link_at(serial, link)->node);
    drop_above(serial, other, base);
}

/* Brings what the node knows up to date. A node knows only such as have ended after it, so there is
 * an end to it; the latest come first, and each is looked at once. */
static void settle(struct darn_serial_clocks *serial, uint32_t id)
{
    size_t top = 0;

    if (!node_at(serial, id)->links)
        return;
    push(serial, top++, id);
    while (top) {
        uint32_t at = serial->stack[top - 1], *link = find_ended(serial, at);

        if (!link)
            top--;
        else if (find_ended(serial, link_at(serial, *link)->node))
            push(serial, top++, link_at(serial, *link)->node);
        else
            absorb(serial, at, link, top);
    }
}

static uint32_t make_node(struct darn_serial_clocks *serial)
{
    uint32_t id;

    if (serial->nodes.used >= serial->sweep_at) {
        for (id = 1; id <= serial->nodes.fresh; id++) {
            if (node_at(serial, id)->refs)
                settle(serial, id);
        }
        serial->sweep_at = 2 * serial->nodes.used + FEW_NODES;
    }
    id = darn_pool_take(&serial->nodes);
    *node_at(serial, id) = (struct node){.refs = 1};
    return id;
}

static bool knows_open(const struct darn_stamp *now, const struct darn_serial_thread *other)
{
    return other->is_open && now->slot != other->now.slot &&
           darn_clock_time(now->clock, other->now.slot) >= other->now.time;
}

/* The node is what the thread knows now; of the transactions that are open, it will know the rest.
 */
static void end_node(struct darn_serial_clocks *serial, uint32_t id,
                     const struct darn_serial_thread *thread)
{
    struct node *node = node_at(serial, id);

    node->has_ended = true;
    node->owner = NULL;
    node->stamp = darn_stamp_copy(&thread->now);
    for (size_t i = 0; serial->seen && i < serial->live_count; i++) {
        if (serial->live[i]->is_seen && knows_open(&thread->now, serial->live[i]))
            add_link(serial, node, serial->live[i]->node);
    }
}

static void leave_node(struct darn_serial_clocks *serial, struct darn_serial_thread *thread)
{
    darn_serial_drop(serial, thread->node);
    thread->node = 0;
}

uint32_t darn_serial_node(struct darn_serial_clocks *serial, struct darn_serial_thread *thread)
{
    if (!thread->node) {
        thread->node = make_node(serial);
        end_node(serial, thread->node, thread);
    }
    return thread->node;
}

darn_epoch darn_serial_epoch(const struct darn_serial_clocks *serial, uint32_t node)
{
    return darn_stamp_epoch(&node_at(serial, node)->stamp);
}

bool darn_serial_matters(const struct darn_serial_clocks *serial, uint32_t node)
{
    return !node_at(serial, node)->has_ended || node_at(serial, node)->links;
}

static bool next_time(struct darn_serial_clocks *serial, struct darn_serial_thread *thread)
{
    if (thread->now.time == UINT32_MAX) {
        serial->exhausted++;
        return false;
    }
    thread->now.time++;
    return true;
}

void darn_serial_begin(struct darn_serial_clocks *serial, struct darn_serial_thread *thread,
                       uint32_t unit)
{
    struct node *node;

    if (thread->is_open || !next_time(serial, thread))
        return;
    leave_node(serial, thread);
    thread->node = make_node(serial);
    node = node_at(serial, thread->node);
    node->owner = thread;
    node->stamp = (struct darn_stamp){NULL, thread->now.slot, thread->now.time};
    thread->is_open = true;
    thread->is_seen = thread->is_told = false;
    thread->unit = unit;
}

static bool knows_all(const struct darn_stamp *now, const struct darn_stamp *what)
{
    const struct darn_clock *clock = what->clock;

    if (!darn_stamp_knows(now, darn_stamp_epoch(what)))
        return false;
    for (uint32_t i = 0; clock && clock != now->clock && i < clock->count; i++) {
        if (i != now->slot && clock->times[i] > darn_clock_time(now->clock, i))
            return false;
    }
    return true;
}

static unsigned learn_stamp(struct darn_serial_clocks *serial, struct darn_serial_thread *thread,
                            const struct darn_stamp *what)
{
    unsigned news = 0;

    if (thread->is_open && darn_clock_time(what->clock, thread->now.slot) >= thread->now.time)
        news |= DARN_SERIAL_CYCLE;
    if (knows_all(&thread->now, what))
        return news;
    if (!thread->is_open) {
        (void)next_time(serial, thread);
        leave_node(serial, thread);
    }
    darn_stamp_join(&serial->clocks, &thread->now, what);
    return news | DARN_SERIAL_NEWS;
}

unsigned darn_serial_learn(struct darn_serial_clocks *serial, struct darn_serial_thread *thread,
                           uint32_t id)
{
    struct node *node = node_at(serial, id);

    if (node->stamp.slot == thread->now.slot)
        return 0;
    if (node->has_ended) {
        settle(serial, id);
        return learn_stamp(serial, thread, &node->stamp);
    }
    serial->seen += !node->owner->is_seen;
    node->owner->is_seen = true;
    return learn_stamp(serial, thread, &node->owner->now);
}

void darn_serial_end(struct darn_serial_clocks *serial, struct darn_serial_thread *thread)
{
    darn_epoch mine = darn_stamp_epoch(&thread->now);

    if (!thread->is_open)
        return;
    thread->is_open = false;
    serial->seen -= thread->is_seen;
    end_node(serial, thread->node, thread);
    for (size_t i = 0; thread->is_seen && i < serial->live_count; i++) {
        struct darn_serial_thread *other = serial->live[i];

        if (other != thread && darn_stamp_knows(&other->now, mine) &&
            learn_stamp(serial, other, &thread->now) & DARN_SERIAL_CYCLE)
            serial->on_cycle(serial->to, other, mine);
    }
    thread->is_seen = false;
    leave_node(serial, thread);
}

static struct darn_serial_thread *find_thread(const struct darn_serial_clocks *serial,
                                              uint32_t number)
{
    uint32_t index = darn_threads_find(&serial->numbers, number);

    return index && index <= serial->thread_capacity ? serial->threads[index - 1] : NULL;
}

static struct darn_serial_thread *add_thread(struct darn_serial_clocks *serial, uint32_t number,
                                             const struct darn_stamp *creator)
{
    uint32_t index = darn_threads_index(&serial->numbers, number);
    struct darn_serial_thread *thread;

    serial->threads = darn_grow(serial->threads, &serial->thread_capacity, (size_t)index + 1,
                                sizeof(struct darn_serial_thread *));
    if (!serial->threads[index])
        serial->threads[index] = darn_need_zeroed(1, sizeof(struct darn_serial_thread));
    thread = serial->threads[index];
    *thread = (struct darn_serial_thread){.number = number,
                                          .now = darn_slots_take(&serial->slots, number, creator)};
    if (creator)
        darn_stamp_join(&serial->clocks, &thread->now, creator);
    serial->live = darn_grow(serial->live, &serial->live_capacity, serial->live_count + 1,
                             sizeof(struct darn_serial_thread *));
    thread->live = serial->live_count;
    serial->live[serial->live_count++] = thread;
    return thread;
}

struct darn_serial_thread *darn_serial_thread(struct darn_serial_clocks *serial, uint32_t number)
{
    struct darn_serial_thread *thread = find_thread(serial, number);
    uint32_t before;

    if (!thread)
        return add_thread(serial, number, NULL);
    if (!thread->has_ended)
        return thread;
    before = thread->node; /* one that goes on after its end */
    darn_stamp_drop(&serial->clocks, &thread->now);
    thread = add_thread(serial, number, NULL);
    (void)darn_serial_learn(serial, thread, before);
    darn_serial_drop(serial, before);
    return thread;
}

/* The child knows what its parent knows; of a transaction of the parent that is open, the rest when
 * it ends. */
void darn_serial_fork(struct darn_serial_clocks *serial, struct darn_serial_thread *parent,
                      uint32_t number)
{
    struct darn_serial_thread *child = find_thread(serial, number);

    if (child == parent)
        return;
    if (parent->is_open) {
        serial->seen += !parent->is_seen;
        parent->is_seen = true;
    }
    if (!child)
        (void)add_thread(serial, number, &parent->now);
    else if (!child->has_ended)
        (void)learn_stamp(serial, child, &parent->now);
}

/* What it knew stays as a node: it may yet grow until somebody joins the thread. */
void darn_serial_exit(struct darn_serial_clocks *serial, struct darn_serial_thread *thread)
{
    if (thread->has_ended)
        return;
    darn_serial_end(serial, thread);
    (void)darn_serial_node(serial, thread);
    darn_slots_leave(&serial->slots, &thread->now, true);
    thread->has_ended = true;
    serial->live[thread->live] = serial->live[--serial->live_count];
    serial->live[thread->live]->live = thread->live;
}

darn_epoch darn_serial_join(struct darn_serial_clocks *serial, struct darn_serial_thread *thread,
                            uint32_t number)
{
    struct darn_serial_thread *other = find_thread(serial, number);
    darn_epoch end;

    if (!other || other == thread)
        return 0;
    darn_serial_exit(serial, other);
    end = darn_serial_epoch(serial, other->node);
    (void)darn_serial_learn(serial, thread, other->node);
    darn_serial_drop(serial, other->node);
    darn_stamp_drop(&serial->clocks, &other->now);
    serial->threads[darn_threads_find(&serial->numbers, number) - 1] = NULL;
    free(other);
    return end;
}

size_t darn_serial_memory(const struct darn_serial_clocks *serial)
{
    return serial->clocks.memory + darn_slots_memory(&serial->slots) +
           darn_threads_memory(&serial->numbers) + darn_pool_memory(&serial->nodes) +
           darn_pool_memory(&serial->links) +
           serial->thread_capacity * sizeof(struct darn_serial_thread *) +
           serial->numbers.count * sizeof(struct darn_serial_thread) +
           serial->live_capacity * sizeof(struct darn_serial_thread *) +
           serial->stack_capacity * sizeof(*serial->stack);
}
