/*
 * Code without a line in a function that has lines. The first guard of two accesses is the one of
 * relink(), whose stores are inlined and store pointers; then comes the one of refill(), where the
 * store that puts `count` into memory has no line. What the first guard has must not get there.
 */
struct node {
    struct node *next, *last;
};

struct node shared;

void look(struct node *nodes, int *count);

static inline void link_both(struct node *node, struct node *next)
{
    node->next = next;
    node->last = next;
}

void relink(struct node *node)
{
    link_both(&shared, node);
}

void refill(int count)
{
    struct node nodes[2];

    nodes[0].next = &nodes[1]; /* its address is computed before the guard, with this line */
    look(nodes, &count);
}
