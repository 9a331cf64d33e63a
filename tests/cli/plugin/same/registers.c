/* Many values of every kind that are alive while shared memory is accessed. */
#include <stdio.h>

int shared[32];
float f_shared[8];
double d_shared[8];
typedef float v4 __attribute__((vector_size(16)));
v4 v_shared[4];

static long integers(long a, long b, long c, long d, long e, long f)
{
    long g = a * b, h = c * d, i = e * f, j = a ^ f, k = b | e, l = c & d, m = a - f;

    for (int n = 0; n < 10; n++) {
        g += shared[n] * a;
        h ^= shared[n + 1] + b;
        i -= shared[n + 2] * c;
        j += g ^ d;
        k = k * 3 + shared[n + 3] + e;
        l += k ^ shared[n] ^ f;
        m += shared[(a + n) & 31];
        shared[n + 4] = (int)(g + h + i + j + k + l + m);
    }
    return g + h + i + j + k + l + m + a + b + c + d + e + f;
}

static double reals(double a, double b, double c, double d, float e, float f)
{
    double g = a * b, h = c / d, i = a - d, j = b + c;
    float k = e * f, l = e - f;

    for (int n = 0; n < 8; n++) {
        g += d_shared[n] * a;
        h -= f_shared[n] * b;
        i = i * 0.5 + d_shared[n & 3] * c;
        j += h * d;
        k += f_shared[n] * e;
        l = l * 0.25f + f_shared[n & 3] * f;
        d_shared[n] = g + h + i + j;
        f_shared[n] = k + l;
    }
    return g + h + i + j + (double)k + (double)l + a + b + c + d;
}

static long double on_x87(long double a, long double b)
{
    long double c = a * b, d = a / b;

    for (int n = 0; n < 8; n++) {
        c = c * 0.5L + d_shared[n];
        d += a * shared[n];
        d_shared[n] = (double)(c + b);
    }
    return c + d;
}

static v4 lanes(v4 a, v4 b)
{
    v4 c = a * b, d = a - b;

    for (int n = 0; n < 4; n++) {
        c += v_shared[n] * a;
        d = d * 0.5f + v_shared[3 - n] * b;
        v_shared[n] = c + d;
    }
    return a + b + c + d;
}

/* The flags of one comparison are used on both sides of an access. */
static int flags(int a, int b)
{
    int less = a < b, sum = shared[a & 31];

    return less ? sum + shared[b & 31] : sum - shared[b & 31];
}

int main(void)
{
    v4 v;

    for (int i = 0; i < 32; i++)
        shared[i] = i * i - 7;
    for (int i = 0; i < 8; i++)
        f_shared[i] = 0.5f * (float)i, d_shared[i] = 1.0 / (i + 1);
    for (int i = 0; i < 4; i++)
        v_shared[i] = (v4){(float)i, 1, 2, 0.5f};
    v = lanes((v4){1, 2, 3, 4}, (v4){0.5f, 0.25f, 2, 1});
    printf("%ld\n%a\n%La\n", integers(1, 2, 3, 4, 5, 6), reals(1, 2, 3, 4, 5, 6), on_x87(3, 7));
    printf("%a %a %a %a\n", v[0], v[1], v[2], v[3]);
    printf("%d %d\n", flags(3, 4), flags(9, 2));
    return 0;
}
