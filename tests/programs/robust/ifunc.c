/*
 * claim: an ifunc resolver, which runs before the program is relocated, is left alone
 * tsan: no
 * build: -O0
 * build: -O2
 * build: -O2 -fPIE -pie
 * build: -O2 -no-pie
 * build: -O2 -Wl,-z,now
 * run: --budget=max --noise=random:500/100 x 3
 * run: x 2
 * expect: none
 */
static int chosen = 1;
static int table[2] = {10, 20};

static int fast(int x)
{
    return x + table[1];
}

static int slow(int x)
{
    return x + table[0];
}

static int (*resolve(void))(int)
{
    int *choice = &chosen; /* a global that is written later: would be watched elsewhere */
    return *choice ? fast : slow;
}

int add(int x) __attribute__((ifunc("resolve")));

int main(void)
{
    int sum = add(1);
    chosen = 0;
    table[1] = 5;
    sum += add(1);
    return sum != 21 + 6;
}
