/* Floating point of all widths, with the rounding and the special values that the source asks for.
 */
#include <complex.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

float singles[64];
double doubles[64];
long double extended[8];
double _Complex roots[4];

static double newton(double *x, double of)
{
    for (int i = 0; i < 20; i++)
        *x = 0.5 * (*x + of / *x);
    return *x;
}

static double kahan(void)
{
    double sum = 0, lost = 0;

    for (int i = 0; i < 64; i++) {
        double y = doubles[i] - lost, t = sum + y;

        lost = (t - sum) - y;
        sum = t;
    }
    return sum;
}

int main(void)
{
    volatile double zero = 0, tiny = DBL_MIN;
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

    for (int i = 0; i < 64; i++) {
        singles[i] = 1.0f / (float)(i + 3);
        doubles[i] = singles[i] * 1e10 + 1.0 / (i + 7);
    }
    for (int i = 0; i < 8; i++)
        extended[i] = (long double)doubles[i] / 3 + (i ? extended[i - 1] : 1e-18L);
    printf("%a %a %La\n", kahan(), newton(&doubles[5], 2), extended[7]);
    for (int i = 0; i < 4; i++) {
        fesetround(modes[i]);
        printf("%a %a %ld\n", doubles[3] / 3 + zero, (double)(singles[9] * singles[8]),
               lrint(doubles[7]));
    }
    fesetround(FE_TONEAREST);
    roots[0] = 1 + 2 * I;
    for (int i = 1; i < 4; i++)
        roots[i] = roots[i - 1] * roots[i - 1] - 0.5;
    printf("%a %a\n", creal(roots[3]), cimag(roots[3]));
    printf("%d %d %d\n", zero / zero == zero / zero, signbit(-zero) != 0, 1 / zero > DBL_MAX);
    printf("%a %a\n", tiny / 4, (double)nextafterf(singles[2], 0));
    return 0;
}
