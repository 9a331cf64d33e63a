/* A module that is loaded and unloaded over and over, built with darn and without; see
 * hostile/loads.c. */
void loaded_begin(void);
long loaded_add(long *sum, long value);

static __thread long calls;
static long begun, total;
static long *volatile where = &begun;

__attribute__((constructor)) void loaded_begin(void)
{
    ++*where;
}

long loaded_add(long *sum, long value)
{
    *sum += value;
    total += value; /* of whoever has this copy of the module */
    calls++;
    return begun;
}
