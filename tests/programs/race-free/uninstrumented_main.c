/*
 * claim: code that only a plain main and its threads call, which synchronize by themselves, is never reported
 * tsan: no
 * plain: plain_main.c
 * build: -O0
 * build: -O2
 * run: x 10
 * run: --budget=max x 10
 * predict: hb x 2
 * expect: none
 */
void compiled_put(long value);
long compiled_get(void);

static struct {
    long value, copies;
} box;

void compiled_put(long value)
{
    box.value = value;
    box.copies++;
}

long compiled_get(void)
{
    box.copies--;
    return box.value;
}
