/* Writes that darn never sees: compiled by the plain compiler. */
void plain_fill(char *where, unsigned size, unsigned rounds);
void plain_set(long *where, long value);

void plain_fill(char *where, unsigned size, unsigned rounds)
{
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < size; i++)
            ((volatile char *)where)[i] = (char)(round + i);
}

void plain_set(long *where, long value)
{
    *(volatile long *)where = value;
}
