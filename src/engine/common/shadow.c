#include "engine/common/shadow.h"

#include "engine/common/grow.h"
#include "engine/common/pool.h"

#define GRANULES   (DARN_SHADOW_PAGE / DARN_SHADOW_GRANULE)
#define WHOLE_MASK 0xffu

/* A cell, with the bytes of its granule that it covers. */
struct node {
    uint32_t next;
    uint32_t mask;
    _Alignas(8) unsigned char cell[];
};

struct page {
    uint32_t whole; /* a node for the whole page; the granules have none then */
    uint32_t used;  /* granules that have nodes */
    uint32_t heads[GRANULES];
};

struct slot {
    uint64_t number; /* of the page: address / DARN_SHADOW_PAGE */
    uint32_t page;   /* 0: empty */
};

struct darn_shadow {
    struct darn_shadow_type type;
    struct darn_pool nodes, pages;
    struct slot *slots;
    size_t capacity; /* a power of two */
    uint64_t last_number;
    struct page *last; /* the page found last, or NULL */
};

static struct slot *new_table(size_t capacity)
{
    struct slot *slots = aligned_alloc(64, capacity * sizeof(*slots));

    if (slots)
        memset(slots, 0, capacity * sizeof(*slots));
    return slots;
}

struct darn_shadow *darn_shadow_create(const struct darn_shadow_type *type)
{
    struct darn_shadow *shadow = calloc(1, sizeof(*shadow));

    if (!shadow)
        return NULL;
    shadow->type = *type;
    shadow->nodes.item = sizeof(struct node) + ((type->size + 7) & ~(size_t)7);
    shadow->pages.item = sizeof(struct page);
    shadow->capacity = 64;
    shadow->slots = new_table(shadow->capacity);
    if (!shadow->slots) {
        free(shadow);
        return NULL;
    }
    return shadow;
}

static struct node *node_at(const struct darn_shadow *shadow, uint32_t id)
{
    return darn_pool_at(&shadow->nodes, id);
}

static uint32_t make_node(struct darn_shadow *shadow, uint32_t mask)
{
    uint32_t id = darn_pool_take(&shadow->nodes);
    struct node *node = node_at(shadow, id);

    memset(node, 0, shadow->nodes.item);
    node->mask = mask;
    return id;
}

static uint32_t copy_node(struct darn_shadow *shadow, const struct node *from, uint32_t mask)
{
    uint32_t id = darn_pool_take(&shadow->nodes);
    struct node *node = node_at(shadow, id);

    memcpy(node, from, shadow->nodes.item);
    node->next = 0;
    node->mask = mask;
    if (shadow->type.copy)
        shadow->type.copy(shadow->type.context, node->cell);
    return id;
}

static void drop_node(struct darn_shadow *shadow, uint32_t id)
{
    if (shadow->type.drop)
        shadow->type.drop(shadow->type.context, node_at(shadow, id)->cell);
    darn_pool_give(&shadow->nodes, id);
}

static void drop_all(struct darn_shadow *shadow, struct page *page)
{
    if (page->whole)
        drop_node(shadow, page->whole);
    for (size_t i = 0; i < GRANULES && page->used; i++) {
        uint32_t id = page->heads[i];

        page->used -= id != 0;
        while (id) {
            uint32_t next = node_at(shadow, id)->next;

            drop_node(shadow, id);
            id = next;
        }
    }
}

void darn_shadow_destroy(struct darn_shadow *shadow)
{
    if (!shadow)
        return;
    for (size_t i = 0; i < shadow->capacity && shadow->type.drop; i++) {
        if (shadow->slots[i].page)
            drop_all(shadow, darn_pool_at(&shadow->pages, shadow->slots[i].page));
    }
    darn_pool_free(&shadow->nodes);
    darn_pool_free(&shadow->pages);
    free(shadow->slots);
    free(shadow);
}

/* Four neighbours are together in one line of the cache. */
static size_t home_of(const struct darn_shadow *shadow, uint64_t number)
{
    return ((size_t)darn_spread(number >> 2) << 2 | (number & 3)) & (shadow->capacity - 1);
}

/* The slot of the page, or the empty one where it belongs. */
static struct slot *slot_of(const struct darn_shadow *shadow, uint64_t number)
{
    size_t i = home_of(shadow, number);

    while (shadow->slots[i].page && shadow->slots[i].number != number)
        i = (i + 1) & (shadow->capacity - 1);
    return &shadow->slots[i];
}

static struct page *find_page(struct darn_shadow *shadow, uint64_t number)
{
    const struct slot *slot;

    if (shadow->last && shadow->last_number == number)
        return shadow->last;
    slot = slot_of(shadow, number);
    if (!slot->page)
        return NULL;
    shadow->last_number = number;
    shadow->last = darn_pool_at(&shadow->pages, slot->page);
    return shadow->last;
}

static void grow_table(struct darn_shadow *shadow)
{
    struct slot *old = shadow->slots;
    size_t old_capacity = shadow->capacity;

    shadow->capacity *= 2;
    shadow->slots = darn_need_memory(new_table(shadow->capacity));
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].page)
            *slot_of(shadow, old[i].number) = old[i];
    }
    free(old);
}

static struct page *need_page(struct darn_shadow *shadow, uint64_t number)
{
    struct page *page = find_page(shadow, number);
    struct slot *slot;

    if (page)
        return page;
    if (2 * (shadow->pages.used + 1) > shadow->capacity)
        grow_table(shadow);
    slot = slot_of(shadow, number);
    slot->number = number;
    slot->page = darn_pool_take(&shadow->pages);
    shadow->last_number = number;
    shadow->last = darn_pool_at(&shadow->pages, slot->page);
    memset(shadow->last, 0, sizeof(*shadow->last));
    return shadow->last;
}

/* Those that were pushed away from their places move up, so that none is cut off from its place by
 * the gap. */
static void remove_page(struct darn_shadow *shadow, uint64_t number)
{
    struct slot *slot = slot_of(shadow, number);
    size_t gap = (size_t)(slot - shadow->slots), mask = shadow->capacity - 1;

    shadow->last = NULL;
    darn_pool_give(&shadow->pages, slot->page);
    for (size_t i = (gap + 1) & mask; shadow->slots[i].page; i = (i + 1) & mask) {
        size_t home = home_of(shadow, shadow->slots[i].number);

        if (((i - home) & mask) >= ((i - gap) & mask)) {
            shadow->slots[gap] = shadow->slots[i];
            gap = i;
        }
    }
    shadow->slots[gap].page = 0;
}

/* Somebody looks closer at a page: each granule gets a cell of its own. */
static void break_page(struct darn_shadow *shadow, struct page *page)
{
    uint32_t whole = page->whole;

    if (!whole)
        return;
    page->whole = 0;
    page->used = GRANULES;
    page->heads[0] = whole;
    node_at(shadow, whole)->mask = WHOLE_MASK;
    for (size_t i = 1; i < GRANULES; i++)
        page->heads[i] = copy_node(shadow, node_at(shadow, whole), WHOLE_MASK);
}

static bool equal_cells(const struct darn_shadow *shadow, const struct node *a,
                        const struct node *b)
{
    return memcmp(a->cell, b->cell, shadow->type.size) == 0;
}

/* Joins the cells of one granule that are equal to one that was touched. */
static void merge_granule(struct darn_shadow *shadow, uint32_t head, uint32_t touched)
{
    for (uint32_t a = head; a; a = node_at(shadow, a)->next) {
        struct node *kept = node_at(shadow, a), *before = kept;

        while (before->next) {
            uint32_t b = before->next;
            struct node *node = node_at(shadow, b);

            if (((kept->mask | node->mask) & touched) && equal_cells(shadow, kept, node)) {
                kept->mask |= node->mask;
                before->next = node->next;
                drop_node(shadow, b);
            } else {
                before = node;
            }
        }
    }
}

static void visit_granule(struct darn_shadow *shadow, struct page *page, uint64_t base,
                          uint32_t touched, darn_shadow_visitor *visit, void *to)
{
    uint32_t *head = &page->heads[base % DARN_SHADOW_PAGE / DARN_SHADOW_GRANULE];
    uint32_t rest = touched;

    page->used += !*head;
    for (uint32_t id = *head; id && rest; id = node_at(shadow, id)->next) {
        struct node *node = node_at(shadow, id);
        uint32_t common = node->mask & rest;

        if (!common)
            continue;
        if (common != node->mask) {
            uint32_t other = copy_node(shadow, node, node->mask & ~common);

            node_at(shadow, other)->next = node->next;
            node->next = other;
            node->mask = common;
        }
        rest &= ~common;
        visit(to, node->cell, base + (uint64_t)__builtin_ctz(common));
    }
    if (rest) {
        uint32_t id = make_node(shadow, rest);
        struct node *node = node_at(shadow, id);

        node->next = *head;
        *head = id;
        visit(to, node->cell, base + (uint64_t)__builtin_ctz(rest));
    }
    if (shadow->type.merge && node_at(shadow, *head)->next)
        merge_granule(shadow, *head, touched);
}

/* Becomes one cell again if all granules have the same past. */
static void close_page(struct darn_shadow *shadow, struct page *page)
{
    const struct node *first = node_at(shadow, page->heads[0]);

    for (size_t i = 0; i < GRANULES; i++) {
        const struct node *node = node_at(shadow, page->heads[i]);

        if (node->next || !equal_cells(shadow, first, node))
            return;
    }
    for (size_t i = 1; i < GRANULES; i++)
        drop_node(shadow, page->heads[i]);
    page->whole = page->heads[0];
    page->used = 0;
    memset(page->heads, 0, sizeof(page->heads));
}

static void visit_page(struct darn_shadow *shadow, struct page *page, uint64_t base,
                       darn_shadow_visitor *visit, void *to)
{
    if (!page->whole && !page->used)
        page->whole = make_node(shadow, WHOLE_MASK);
    if (page->whole) {
        visit(to, node_at(shadow, page->whole)->cell, base);
        return;
    }
    for (uint64_t at = base; at < base + DARN_SHADOW_PAGE; at += DARN_SHADOW_GRANULE)
        visit_granule(shadow, page, at, WHOLE_MASK, visit, to);
    if (shadow->type.merge)
        close_page(shadow, page);
}

/* The bytes of the granule at `base` that are in [address, end). */
static uint32_t mask_of(uint64_t base, uint64_t address, uint64_t end)
{
    uint32_t mask = WHOLE_MASK;

    if (address > base)
        mask &= WHOLE_MASK << (address - base);
    if (end - base < DARN_SHADOW_GRANULE)
        mask &= WHOLE_MASK >> (DARN_SHADOW_GRANULE - (end - base));
    return mask;
}

static uint64_t end_of(uint64_t address, uint64_t size)
{
    return size > UINT64_MAX - address ? UINT64_MAX : address + size;
}

void darn_shadow_visit(struct darn_shadow *shadow, uint64_t address, uint64_t size,
                       darn_shadow_visitor *visit, void *to)
{
    uint64_t end = end_of(address, size);

    while (address < end) {
        uint64_t base = address & ~(uint64_t)(DARN_SHADOW_GRANULE - 1);
        struct page *page = need_page(shadow, address / DARN_SHADOW_PAGE);

        if (address % DARN_SHADOW_PAGE == 0 && end - address >= DARN_SHADOW_PAGE) {
            visit_page(shadow, page, address, visit, to);
            address += DARN_SHADOW_PAGE;
            continue;
        }
        break_page(shadow, page);
        visit_granule(shadow, page, base, mask_of(base, address, end), visit, to);
        address = end - base > DARN_SHADOW_GRANULE ? base + DARN_SHADOW_GRANULE : end;
    }
}

void darn_shadow_access(struct darn_shadow *shadow, const struct darn_event *event,
                        darn_shadow_visitor *visit, void *to)
{
    uint64_t address = event->target, end = end_of(address, event->size);

    if (event->flags & DARN_EVENT_GAPS && event->extra) {
        uint64_t gaps_end = end - address > 64 ? address + 64 : end;

        while (address < gaps_end) {
            uint64_t base = address & ~(uint64_t)(DARN_SHADOW_GRANULE - 1);
            uint64_t gaps = event->extra >> (address - event->target) << (address - base);
            uint32_t mask = mask_of(base, address, gaps_end) & (uint32_t)gaps;
            struct page *page;

            if (mask) {
                page = need_page(shadow, address / DARN_SHADOW_PAGE);
                break_page(shadow, page);
                visit_granule(shadow, page, base, mask, visit, to);
            }
            address = gaps_end - base > DARN_SHADOW_GRANULE ? base + DARN_SHADOW_GRANULE : gaps_end;
        }
    }
    darn_shadow_visit(shadow, address, end - address, visit, to);
}

void *darn_shadow_exact(struct darn_shadow *shadow, uint64_t address, uint64_t size)
{
    uint64_t within = address % DARN_SHADOW_GRANULE;
    const struct page *page;
    uint32_t mask;

    if (size - 1 >= DARN_SHADOW_GRANULE || within + size > DARN_SHADOW_GRANULE)
        return NULL;
    page = find_page(shadow, address / DARN_SHADOW_PAGE);
    if (!page)
        return NULL;
    mask = WHOLE_MASK >> (DARN_SHADOW_GRANULE - size) << within;
    for (uint32_t id = page->heads[address % DARN_SHADOW_PAGE / DARN_SHADOW_GRANULE]; id;) {
        struct node *node = node_at(shadow, id);

        if (node->mask == mask)
            return node->cell;
        id = node->next;
    }
    return NULL;
}

static void catch_cell(void *to, void *cell, uint64_t address)
{
    (void)address;
    *(void **)to = cell;
}

void *darn_shadow_at(struct darn_shadow *shadow, uint64_t address)
{
    void *cell = darn_shadow_exact(shadow, address, 1);

    if (!cell)
        darn_shadow_visit(shadow, address, 1, catch_cell, &cell);
    return cell;
}

static void forget_granule(struct darn_shadow *shadow, struct page *page, uint64_t base,
                           uint32_t mask)
{
    uint32_t *link = &page->heads[base % DARN_SHADOW_PAGE / DARN_SHADOW_GRANULE];
    uint32_t *head = link;

    if (!*head)
        return;
    while (*link) {
        struct node *node = node_at(shadow, *link);
        uint32_t id = *link;

        node->mask &= ~mask;
        if (node->mask) {
            link = &node->next;
        } else {
            *link = node->next;
            drop_node(shadow, id);
        }
    }
    page->used -= !*head;
}

/* The part [address, end) of one page. */
static void forget_in_page(struct darn_shadow *shadow, uint64_t address, uint64_t end)
{
    uint64_t number = address / DARN_SHADOW_PAGE;
    struct page *page = find_page(shadow, number);

    if (!page)
        return;
    if (end - address == DARN_SHADOW_PAGE) {
        drop_all(shadow, page);
        remove_page(shadow, number);
        return;
    }
    break_page(shadow, page);
    while (address < end) {
        uint64_t base = address & ~(uint64_t)(DARN_SHADOW_GRANULE - 1);

        forget_granule(shadow, page, base, mask_of(base, address, end));
        address = end - base > DARN_SHADOW_GRANULE ? base + DARN_SHADOW_GRANULE : end;
    }
    if (!page->used)
        remove_page(shadow, number);
}

/* For ranges that have more pages than there are: looks at those that there are. What moves up into
 * a gap is looked at next; what comes to the end of the table from its beginning has been. */
static void forget_far(struct darn_shadow *shadow, uint64_t first, uint64_t end)
{
    for (size_t i = 0; i < shadow->capacity; i++) {
        const struct slot *slot = &shadow->slots[i];

        while (slot->page && slot->number >= first && slot->number < end) {
            drop_all(shadow, darn_pool_at(&shadow->pages, slot->page));
            remove_page(shadow, slot->number);
        }
    }
}

void darn_shadow_forget(struct darn_shadow *shadow, uint64_t address, uint64_t size)
{
    uint64_t end = end_of(address, size);

    while (address < end) {
        uint64_t stop = (address / DARN_SHADOW_PAGE + 1) * DARN_SHADOW_PAGE;

        if (address % DARN_SHADOW_PAGE == 0 &&
            (end - address) / DARN_SHADOW_PAGE > shadow->capacity) {
            stop = end & ~(uint64_t)(DARN_SHADOW_PAGE - 1);
            forget_far(shadow, address / DARN_SHADOW_PAGE, stop / DARN_SHADOW_PAGE);
            address = stop;
            continue;
        }
        if (stop > end || stop < address)
            stop = end;
        forget_in_page(shadow, address, stop);
        address = stop;
    }
}

size_t darn_shadow_memory(const struct darn_shadow *shadow)
{
    return sizeof(*shadow) + shadow->capacity * sizeof(*shadow->slots) +
           darn_pool_memory(&shadow->nodes) + darn_pool_memory(&shadow->pages);
}

size_t darn_shadow_cells(const struct darn_shadow *shadow)
{
    return shadow->nodes.used;
}
