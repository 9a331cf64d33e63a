/* Pointers: lists, a tree and a hash table on the heap. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next, *left, *right;
    unsigned key;
    char name[8];
};

struct node *list, *root, *buckets[64];
unsigned seed = 12345;
int nodes;

static unsigned next(void)
{
    return seed = seed * 1103515245 + 12345;
}

static struct node *make(unsigned key)
{
    struct node *node = calloc(1, sizeof(*node));

    if (!node)
        exit(1);
    node->key = key;
    snprintf(node->name, sizeof(node->name), "%u", key % 10000);
    nodes++;
    return node;
}

static void insert(struct node **at, struct node *node)
{
    while (*at)
        at = node->key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = node;
}

static int height(const struct node *node)
{
    int left, right;

    if (!node)
        return 0;
    left = height(node->left);
    right = height(node->right);
    return 1 + (left > right ? left : right);
}

static void reverse(void)
{
    struct node *done = NULL, *node;

    while ((node = list)) {
        list = node->next;
        node->next = done;
        done = node;
    }
    list = done;
}

static int unlink_odd(void)
{
    int removed = 0;

    for (struct node **at = &list; *at;) {
        if ((*at)->key & 1) {
            *at = (*at)->next;
            removed++;
        } else {
            at = &(*at)->next;
        }
    }
    return removed;
}

int main(void)
{
    unsigned long sum = 0;
    int longest = 0;

    for (int i = 0; i < 500; i++) {
        struct node *node = make(next() >> 8);

        node->next = list;
        list = node;
        insert(&root, node);
    }
    reverse();
    printf("%d %s %d\n", height(root), list->name, unlink_odd());
    for (struct node *n = list, *rest; n; n = rest) {
        struct node **bucket = &buckets[n->key / 2 % 64];

        rest = n->next;
        n->next = *bucket;
        *bucket = n;
    }
    for (int i = 0; i < 64; i++) {
        int length = 0;

        for (struct node *n = buckets[i]; n; n = n->next, length++)
            sum += n->key * (unsigned long)(i + 1) + strlen(n->name);
        longest = length > longest ? length : longest;
    }
    printf("%lu %d %d\n", sum, longest, nodes);
    return 0;
}
