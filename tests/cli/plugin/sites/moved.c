/* Loads of the source that the optimizer puts elsewhere, or makes one of: each is there once, at least. */
int one, other, taken, values[64];

/* In front of the loop, if it has a round. */
/* site: hoisted read - 4 one */
long hoisted(int n)
{
    long sum = 0;

    for (int i = 0; i < n; i++)
        sum += one;
    return sum;
}

/* Not in front of the loop: nobody knows whether a round makes it. */
/* site: perhaps read - 4 one */
/* twice: perhaps read - 4 values[] */
int perhaps(int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++) {
        if (values[i])
            sum += one * values[i + 1];
    }
    return sum;
}

static inline int size_of(const int *member)
{
    return *member;
}

/* Of a function that was inlined. */
/* site: size_of read - 4 _ */
long hoisted_inlined(int n)
{
    long sum = 0;

    for (int i = 0; i < n; i++)
        sum += size_of(&one);
    return sum;
}

/* The round before has stored it, but the first has none before it. */
/* site: previous read - 4 v[] */
/* site: previous write - 4 v[] */
void previous(int *v, int n)
{
    for (int i = 1; i < n; i++)
        v[i] = v[i - 1] + 1;
}

/* Of two branches one load is made, before them. */
/* site: both_hoisted read - 4 one */
/* site: both_hoisted write - 4 _ */
void both_hoisted(int c)
{
    if (c)
        other = one;
    else
        taken = one;
}

/* Behind them, from one place or the other: which name it has there is not known. */
/* twice at -O0: both_sunk read - 4 _ */
/* site at -O1 -O2 -O3: both_sunk read - 4 - */
/* site: both_sunk write - 4 other */
/* site: both_sunk write - 4 taken */
int both_sunk(int c, const int *p, const int *q)
{
    int result;

    if (c) {
        other = 1;
        result = *p;
    } else {
        taken = 2;
        result = *q;
    }
    return result;
}
