/* levels: -O2 -O3 */
/* Vector accesses are as wide as they are, and what a strided one leaves out is left out. */
float a[1024], b[1024], c[1024];
typedef float v4 __attribute__((vector_size(16)));
v4 vector;

/* site: add write - 16 a[] */
/* site: add read - 16 b[] */
/* site: add read - 16 c[] */
void add(void)
{
    for (int i = 0; i < 1024; i++)
        a[i] = b[i] + c[i];
}

/* site: rest read - 16 y[] */
/* site: rest read - 4 y[] */
/* site: rest write - 16 x[] */
/* site: rest write - 4 x[] */
void rest(float *restrict x, const float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        x[i] += y[i];
}

/* site: every_other read gaps=f0f0f0f 32 _ */
/* site: every_other read - 4 _ */
/* site: every_other write - 16 o[] */
/* site: every_other write - 4 o[] */
void every_other(const int *p, int *restrict o, int n)
{
    for (int i = 0; i < n; i++)
        o[i] = p[2 * i];
}

/* site: every_third read gaps=f00f00f00f 48 _ */
/* site: every_third read - 4 _ */
/* may: every_third write - 16 o[] */
/* may: every_third write - 4 o[] */
void every_third(const int *p, int *restrict o, int n)
{
    for (int i = 0; i < n; i++)
        o[i] = p[3 * i] + 3;
}

/* More than a mask of 64 bits can tell: the elements in between must not be watched. */
/* site: every_fifth read - 4 _ */
/* may: every_fifth write - 16 o[] */
/* may: every_fifth write - 4 o[] */
void every_fifth(const int *p, int *restrict o, int n)
{
    for (int i = 0; i < n; i++)
        o[i] = p[5 * i] + 3;
}

/* site: whole_vector read - 16 _ */
/* site: whole_vector write - 16 _ */
void whole_vector(v4 *p)
{
    *p += vector;
}

/* not yet: lane read - 4 _ */
float lane(v4 *p)
{
    return (*p)[2];
}

/* site: copy_loop read range 0 _ */
/* site: copy_loop write range 0 _ */
void copy_loop(char *restrict d, const char *restrict s, int n)
{
    for (int i = 0; i < n; i++)
        d[i] = s[i];
}

/* site: zero_loop write range 0 _ */
void zero_loop(long *d, int n)
{
    for (int i = 0; i < n; i++)
        d[i] = 0;
}
