/* A counter that threads share without a lock, to be loaded. */
#include <unistd.h>

long counted_get(void);
void counted_add(void);

static volatile long count;

void counted_add(void)
{
    volatile int kept = 0;
    long seen = count;
    for (int i = 0; i < 300; i++)
        kept = i;
    (void)kept;
    count = seen + 1;
}

long counted_get(void)
{
    return count;
}
