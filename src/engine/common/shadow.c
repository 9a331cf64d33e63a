#include "engine/common/shadow.h"

#include "base/grow.h"
#include "base/hash.h"
#include "base/htable.h"
#include "base/pool.h"

#define GRANULES   (DARN_SHADOW_PAGE / DARN_SHADOW_GRANULE)
#define WHOLE_MASK 0xffu

/* A cell, with the bytes of its granule that it covers. */
struct node {
    uint32_t next;
    uint32_t mask;
    _Alignas(8) unsigned char cell[];
};

struct page {
    uint64_t number; /* address / DARN_SHADOW_PAGE */
    uint32_t whole;  /* a node for the whole page; the granules have none then */
    uint32_t used;   /* granules that have nodes */
    uint32_t heads[GRANULES];
};

struct darn_shadow {
    struct darn_shadow_type type;
    struct darn_pool nodes, pages;
    struct darn_htable table; /* of pages */
    struct page *last;        /* the page found last, or NULL */
    darn_shadow_visitor *end; /* sees what is forgotten, or NULL */
    void *end_to;
};

struct darn_shadow *darn_shadow_create(const struct darn_shadow_type *type)
{
    struct darn_shadow *shadow = calloc(1, sizeof(*shadow));

    if (!shadow)
        return NULL;
    shadow->type = *type;
    shadow->nodes.item = sizeof(struct node) + ((type->size + 7) & ~(size_t)7);
    shadow->pages.item = sizeof(struct page);
    return shadow;
}

static struct node *node_at(const struct darn_shadow *shadow, uint32_t id)
{
    return darn_pool_at(&shadow->nodes, id);
}

static struct page *page_at(const struct darn_shadow *shadow, uint32_t id)
{
    return darn_pool_at(&shadow->pages, id);
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

/* The node is about to lose these bytes of its granule. */
static void end_node(struct darn_shadow *shadow, uint32_t id, uint64_t base, uint32_t mask)
{
    if (shadow->end && mask)
        shadow->end(shadow->end_to, node_at(shadow, id)->cell,
                    base + (uint64_t)__builtin_ctz(mask));
}

static void drop_all(struct darn_shadow *shadow, struct page *page)
{
    uint64_t base = page->number * DARN_SHADOW_PAGE;

    if (page->whole) {
        end_node(shadow, page->whole, base, 1);
        drop_node(shadow, page->whole);
    }
    for (size_t i = 0; i < GRANULES && page->used; i++) {
        uint32_t id = page->heads[i];

        page->used -= id != 0;
        while (id) {
            uint32_t next = node_at(shadow, id)->next;

            end_node(shadow, id, base + i * DARN_SHADOW_GRANULE, node_at(shadow, id)->mask);
            drop_node(shadow, id);
            id = next;
        }
    }
}

void darn_shadow_destroy(struct darn_shadow *shadow)
{
    if (!shadow)
        return;
    for (size_t i = 0; i < shadow->table.capacity && shadow->type.drop; i++) {
        if (shadow->table.slots[i].item)
            drop_all(shadow, page_at(shadow, shadow->table.slots[i].item));
    }
    darn_pool_free(&shadow->nodes);
    darn_pool_free(&shadow->pages);
    darn_htable_free(&shadow->table);
    free(shadow);
}

/* Four neighbours are together in one line of the cache. */
static uint32_t hash_page(uint64_t number)
{
    return darn_spread(number >> 2) << 2 | (number & 3);
}

static uint32_t find_page_id(const struct darn_shadow *shadow, uint64_t number)
{
    uint32_t hash = hash_page(number), id;
    size_t at = hash;

    while ((id = darn_htable_next(&shadow->table, hash, &at)) &&
           page_at(shadow, id)->number != number)
        continue;
    return id;
}

static struct page *find_page(struct darn_shadow *shadow, uint64_t number)
{
    uint32_t id;

    if (shadow->last && shadow->last->number == number)
        return shadow->last;
    id = find_page_id(shadow, number);
    if (!id)
        return NULL;
    shadow->last = page_at(shadow, id);
    return shadow->last;
}

static struct page *need_page(struct darn_shadow *shadow, uint64_t number)
{
    struct page *page = find_page(shadow, number);
    uint32_t id;

    if (page)
        return page;
    id = darn_pool_take(&shadow->pages);
    page = page_at(shadow, id);
    *page = (struct page){.number = number};
    darn_htable_add(&shadow->table, hash_page(number), id);
    shadow->last = page;
    return page;
}

static void remove_page(struct darn_shadow *shadow, uint32_t id)
{
    shadow->last = NULL;
    darn_htable_remove(&shadow->table, hash_page(page_at(shadow, id)->number), id);
    darn_pool_give(&shadow->pages, id);
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

        end_node(shadow, id, base, node->mask & mask);
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
        remove_page(shadow, find_page_id(shadow, number));
        return;
    }
    break_page(shadow, page);
    while (address < end) {
        uint64_t base = address & ~(uint64_t)(DARN_SHADOW_GRANULE - 1);

        forget_granule(shadow, page, base, mask_of(base, address, end));
        address = end - base > DARN_SHADOW_GRANULE ? base + DARN_SHADOW_GRANULE : end;
    }
    if (!page->used)
        remove_page(shadow, find_page_id(shadow, number));
}

/* For ranges that have more pages than there are: looks at those that there are. What moves up into
 * a gap is looked at next; what comes to the end of the table from its beginning has been. */
static void forget_far(struct darn_shadow *shadow, uint64_t first, uint64_t end)
{
    for (size_t i = 0; i < shadow->table.capacity; i++) {
        const struct darn_htable_slot *slot = &shadow->table.slots[i];

        while (slot->item && page_at(shadow, slot->item)->number - first < end - first) {
            drop_all(shadow, page_at(shadow, slot->item));
            remove_page(shadow, slot->item);
        }
    }
}

void darn_shadow_forget(struct darn_shadow *shadow, uint64_t address, uint64_t size)
{
    uint64_t end = end_of(address, size);

    while (address < end) {
        uint64_t stop = (address / DARN_SHADOW_PAGE + 1) * DARN_SHADOW_PAGE;

        if (address % DARN_SHADOW_PAGE == 0 &&
            (end - address) / DARN_SHADOW_PAGE > shadow->table.capacity) {
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

void darn_shadow_end(struct darn_shadow *shadow, uint64_t address, uint64_t size,
                     darn_shadow_visitor *visit, void *to)
{
    shadow->end = visit;
    shadow->end_to = to;
    darn_shadow_forget(shadow, address, size);
    shadow->end = NULL;
}

size_t darn_shadow_memory(const struct darn_shadow *shadow)
{
    return sizeof(*shadow) + darn_htable_memory(&shadow->table) + darn_pool_memory(&shadow->nodes) +
           darn_pool_memory(&shadow->pages);
}

size_t darn_shadow_cells(const struct darn_shadow *shadow)
{
    return shadow->nodes.used;
}
