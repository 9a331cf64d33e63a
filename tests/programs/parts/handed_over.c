/* A plugin whose constructor fills a table, and whose destructor clears it. */
enum { CELLS = 32 };

static int table[CELLS];

int handed_over(int i);
void hand_over(int i, int value);

__attribute__((constructor)) static void fill(void)
{
    for (int i = 0; i < CELLS; i++)
        table[i] = 2 * i;
}

__attribute__((destructor)) static void clear(void)
{
    for (int i = 0; i < CELLS; i++)
        table[i] = -1;
}

int handed_over(int i)
{
    return table[i];
}

void hand_over(int i, int value)
{
    table[i] = value;
}
