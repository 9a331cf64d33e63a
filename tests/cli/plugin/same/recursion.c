/* Recursion, deep and mutual, over state that is shared by all levels. */
#include <stdio.h>

int calls, depth, deepest;
char pegs[3][16];
int heights[3];
unsigned long memo[60];

static int ackermann(int m, int n)
{
    calls++;
    if (!m)
        return n + 1;
    return n ? ackermann(m - 1, ackermann(m, n - 1)) : ackermann(m - 1, 1);
}

static void move(int n, int from, int to)
{
    if (!n)
        return;
    move(n - 1, from, 3 - from - to);
    pegs[to][heights[to]++] = pegs[from][--heights[from]];
    move(n - 1, 3 - from - to, to);
}

static int is_odd(unsigned n);

static int is_even(unsigned n)
{
    int answer;

    depth++;
    deepest = depth > deepest ? depth : deepest;
    answer = n ? is_odd(n - 1) : 1;
    depth--;
    return answer;
}

static int is_odd(unsigned n)
{
    int answer = n ? is_even(n - 1) : 0;

    deepest += answer;
    return answer;
}

static unsigned long fibonacci(int n)
{
    if (n < 2)
        return (unsigned long)n;
    if (!memo[n])
        memo[n] = fibonacci(n - 1) + fibonacci(n - 2);
    return memo[n];
}

int main(void)
{
    for (int i = 0; i < 10; i++)
        pegs[0][heights[0]++] = (char)('a' + i);
    move(10, 0, 2);
    printf("%d %d %.10s %d\n", ackermann(2, 5), calls, pegs[2], heights[2]);
    printf("%d %d\n", is_even(1001), deepest);
    printf("%lu\n", fibonacci(59));
    return 0;
}
