/* Vectors: those of the source, and those that the optimizer makes of loops. */
#include <emmintrin.h>
#include <stdio.h>
#include <string.h>

typedef int v4 __attribute__((vector_size(16)));

int a[259], b[259], c[259];
float x[100], y[100];
unsigned char bytes[1000];
v4 state = {1, 2, 3, 4};

struct pixel {
    unsigned char r, g, b;
} image[77];

static int dot(int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static v4 step(v4 *s)
{
    *s ^= *s << 3;
    *s += (v4){7, 5, 3, 1};
    return *s;
}

static unsigned grey(void)
{
    unsigned sum = 0;

    for (int i = 0; i < 77; i++)
        sum += image[i].r * 3u + image[i].b;
    return sum;
}

static void blend(float *to, const float *from, int n)
{
    for (int i = 0; i < n; i += 4)
        _mm_storeu_ps(to + i, _mm_add_ps(_mm_mul_ps(_mm_loadu_ps(to + i), _mm_set1_ps(0.5f)),
                                         _mm_loadu_ps(from + i)));
}

int main(void)
{
    v4 last = state;
    unsigned sum = 0;

    for (int i = 0; i < 259; i++) {
        a[i] = i * 7 % 31;
        b[i] = i * 5 % 17 - 8;
    }
    for (int i = 0; i < 259; i++)
        c[i] = a[i] > b[i] ? a[i] - b[i] : b[i];
    for (int i = 0; i < 1000; i++)
        bytes[i] = (unsigned char)(i * i);
    for (int i = 0; i < 500; i++)
        sum += bytes[2 * i] ^ (unsigned)bytes[999 - i];
    memset(image, 0x5a, sizeof(image));
    for (int i = 0; i < 77; i++)
        image[i].g = bytes[i], image[i].r = bytes[2 * i];
    for (int i = 0; i < 100; i++)
        x[i] = (float)i, y[i] = 1.0f / (float)(i + 1);
    blend(x, y, 100);
    for (int i = 0; i < 9; i++)
        last = step(&state);
    printf("%d %d %d %d\n", dot(259), dot(3), c[200], c[3]);
    printf("%u %u %a %a\n", sum, grey(), x[99], x[0]);
    printf("%d %d %d %d\n", last[0], last[1], last[2], last[3]);
    return 0;
}
