/* The usual loops over lists and arrays keep their sites. */
struct node {
    int id;
    struct node *next;
};

struct node *list;
int numbers[100];

/* site: length read - 8 list */
/* site: length read - 8 p->next */
int length(void)
{
    int n = 0;

    for (struct node *p = list; p; p = p->next)
        n++;
    return n;
}

/* site: total read - 4 p->id */
/* site: total read - 8 p->next */
int total(struct node *p)
{
    int sum = 0;

    while (p) {
        sum += p->id;
        p = p->next;
    }
    return sum;
}

/* The write of the list speaks for the read before it. */
/* site: push write - 8 list */
/* site: push write - 8 node->next */
void push(struct node *node)
{
    node->next = list;
    list = node;
}

/* site: add_up read - _ numbers[] */
int add_up(int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += numbers[i];
    return sum;
}
