/* Values of every kind that can be loaded, stored and handed to a hook. */
#include <complex.h>
#include <stdatomic.h>
#include <stdbool.h>

struct __attribute__((packed)) packed {
    char c;
    int i;
    long l;
};
struct three {
    char c[3];
};
struct large {
    long a, b, c;
};
struct empty {
};
struct bits {
    int a : 3;
    unsigned b : 17;
    long c : 44;
    bool d : 1;
};
struct flexible {
    int n;
    char rest[];
};
typedef int v3 __attribute__((ext_vector_type(3)));
typedef bool vb __attribute__((ext_vector_type(8)));

__int128 wide;
_BitInt(77) odd;
long double extended;
double _Complex pair;
_Float16 half;
bool truth;
struct packed unaligned;
struct three three;
struct large large;
struct empty empty;
struct bits bits;
struct flexible *flexible;
v3 vector;
vb truths;
volatile struct large ports;
atomic_flag lock;
_Atomic struct large atomic_large;
_Atomic(struct three) atomic_three;
_Atomic float atomic_float;
atomic_uintptr_t atomic_pointer;

__int128 add_wide(__int128 *p)
{
    *p += wide;
    return *p;
}

_BitInt(77) add_odd(_BitInt(77) * p)
{
    *p += odd;
    return odd;
}

long double add_extended(long double *p)
{
    *p += extended;
    return *p;
}

double _Complex multiply(double _Complex *p)
{
    *p *= pair;
    return *p;
}

_Float16 add_half(void)
{
    return half += 1;
}

bool toggle(void)
{
    truth = !truth;
    return truth;
}

int misaligned(struct packed *p)
{
    p->i++;
    p->l += p->i;
    unaligned = *p;
    return *(int *)(p->c + (char *)p);
}

struct three copy_three(struct three *p)
{
    *p = three;
    return *p;
}

struct large copy_large(struct large *p)
{
    *p = large;
    empty = (struct empty){};
    return *p;
}

long by_value(struct large s, struct large *p)
{
    *p = s;
    s.a++;
    return s.a;
}

unsigned bit_fields(struct bits *p)
{
    p->a++;
    p->b ^= 5;
    p->c -= 7;
    p->d = !p->d;
    bits = *p;
    return bits.b;
}

int flexible_array(int i)
{
    return flexible->rest[i] += flexible->n;
}

v3 three_lanes(v3 *p)
{
    *p += vector;
    p->y = 3;
    return *p;
}

vb vector_of_bits(vb *p)
{
    truths = *p;
    return truths;
}

struct large volatile_struct(struct large *p)
{
    ports = *p;
    return ports;
}

void atomics(void)
{
    while (atomic_flag_test_and_set(&lock))
        ;
    atomic_float += 1.5f;
    atomic_large = large;
    atomic_three = three;
    atomic_fetch_xor(&atomic_pointer, 1);
    atomic_flag_clear(&lock);
}

int compare_and_swap(int *p, int o, int n, __int128 old, __int128 new)
{
    return __atomic_compare_exchange_n(p, &o, n, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED) +
           __sync_bool_compare_and_swap(&wide, old, new);
}

int indirect(int n)
{
    int local = n, *p = &local, **pp = &p;

    **pp += truth;
    return local;
}
