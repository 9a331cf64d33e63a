/* Intrinsics that touch memory in ways that the IR has no instruction for. */
#include <immintrin.h>

int table[64];

__m128 sse(__m128 *p, const float *q)
{
    *p = _mm_add_ps(*p, _mm_loadu_ps(q));
    _mm_stream_ps((float *)p, *p);
    _mm_maskmoveu_si128(*(__m128i *)p, *(__m128i *)p, (char *)table);
    _mm_sfence();
    _mm_mfence();
    return *p;
}

__attribute__((target("avx2"))) __m256i avx2(const int *p, __m256i index)
{
    __m256i v = _mm256_i32gather_epi32(p, index, 4);

    _mm256_maskstore_epi32(table, index, v);
    return _mm256_add_epi32(v, _mm256_maskload_epi32(table, index));
}

__attribute__((target("avx512f"))) void avx512(float *p)
{
    __m512 v = _mm512_add_ps(_mm512_loadu_ps(p), _mm512_loadu_ps(p + 16));

    _mm512_mask_storeu_ps(p, 0x5555, v);
}

__attribute__((target("avx2"))) void vectorized(float *restrict x, const float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        x[i] += y[4 * i];
}

__attribute__((target("avx512f,avx512vl"))) void conditional(int *restrict x, const int *y, int n)
{
    for (int i = 0; i < n; i++)
        if (y[i] > 3)
            x[i] = y[i];
}

void prefetch(int *p)
{
    __builtin_prefetch(p);
    p[3] = 1;
}
