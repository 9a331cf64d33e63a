/* Memory on the stack whose size is known at run time only. */
#include <alloca.h>
#include <stdio.h>
#include <string.h>

int total;
char *kept[4];

static int fill(char *to, size_t n)
{
    memset(to, (int)n, n);
    return to[n / 2];
}

static int in_loop(int rounds)
{
    int sum = 0;

    for (int i = 1; i <= rounds; i++) {
        char *p = alloca((size_t)i * 16);

        kept[i & 3] = p;
        sum += fill(p, (size_t)i * 16) + kept[i & 3][0];
    }
    return sum + kept[1][3];
}

static int matrix(int n)
{
    int m[n][n], trace = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            m[i][j] = i * n + j + total;
    for (int i = 0; i < n; i++)
        trace += m[i][n - 1 - i];
    return trace;
}

static int by_parameter(int n, int rows[][n])
{
    for (int i = 0; i < n; i++)
        rows[1][i] += rows[0][n - 1 - i];
    return rows[1][0] + rows[1][n - 1];
}

static int large_frame(int n)
{
    int numbers[5000];

    for (int i = 0; i < 5000; i++)
        numbers[i] = i * n;
    total += numbers[4999];
    return numbers[n] + (n ? large_frame(n - 1) : 0);
}

int main(void)
{
    int rows[2][6] = {{1, 2, 3, 4, 5, 6}, {0}};

    printf("%d\n", in_loop(40));
    total = 3;
    printf("%d %d\n", matrix(9), matrix(1));
    printf("%d\n", by_parameter(6, rows));
    printf("%d %d\n", large_frame(12), total);
    return 0;
}
