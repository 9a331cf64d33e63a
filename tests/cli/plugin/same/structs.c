/* Structures by value, as arguments and results, of every class of the calling convention. */
#include <stdio.h>

struct byte {
    char c;
};
struct odd {
    char c[7];
};
struct floats {
    float x, y, z;
};
struct mixed {
    double d;
    int i;
};
struct large {
    long l[5];
};
struct nested {
    struct mixed m[2];
    struct odd o;
};

struct byte bytes[3];
struct odd odds[3];
struct floats floats[3];
struct mixed mixed[3];
struct large larges[3];
struct nested nested, other;

static struct byte next_byte(struct byte b)
{
    b.c++;
    return b;
}

static struct odd reversed(struct odd o)
{
    struct odd r;

    for (int i = 0; i < 7; i++)
        r.c[i] = o.c[6 - i];
    return r;
}

static struct floats cross(struct floats a, struct floats b)
{
    return (struct floats){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static struct mixed combined(struct mixed a, struct large l, struct mixed b)
{
    return (struct mixed){a.d * b.d + (double)l.l[4], a.i - b.i};
}

static struct large shifted(struct large l, int by)
{
    struct large r;

    for (int i = 0; i < 5; i++)
        r.l[(i + by) % 5] = l.l[i];
    return r;
}

static struct nested swapped(const struct nested *n)
{
    struct nested r = *n;
    struct mixed m = r.m[0];

    r.m[0] = r.m[1];
    r.m[1] = m;
    r.o = reversed(r.o);
    return r;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        bytes[i].c = (char)('a' + i);
        for (int j = 0; j < 7; j++)
            odds[i].c[j] = (char)('k' + i + j);
        floats[i] = (struct floats){(float)i + 1, 2, (float)(3 - i)};
        mixed[i] = (struct mixed){1.5 * i, i};
        for (int j = 0; j < 5; j++)
            larges[i].l[j] = i * 10 + j;
    }
    bytes[2] = next_byte(next_byte(bytes[1]));
    odds[1] = reversed(odds[2]);
    floats[2] = cross(floats[0], floats[1]);
    mixed[0] = combined(mixed[1], larges[2], mixed[2]);
    larges[0] = shifted(shifted(larges[1], 2), 1);
    nested = (struct nested){{mixed[0], mixed[2]}, odds[0]};
    other = nested = swapped(&nested);
    printf("%c %.7s %g %g %g\n", bytes[2].c, odds[1].c, floats[2].x, floats[2].y, floats[2].z);
    printf("%g %d %ld %ld\n", mixed[0].d, mixed[0].i, larges[0].l[0], larges[0].l[4]);
    printf("%g %g %.7s\n", other.m[0].d, other.m[1].d, other.o.c);
    return 0;
}
