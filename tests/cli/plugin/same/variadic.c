/* Variable arguments of all classes: in general registers, in vector registers and on the stack. */
#include <stdarg.h>
#include <stdio.h>

struct small {
    int a, b;
};
struct mixed {
    double d;
    long l;
};
struct large {
    char text[40];
};

double total;
int seen;
char buffer[256];

static double sum(const char *kinds, ...)
{
    va_list list, again;
    double result = 0;

    va_start(list, kinds);
    va_copy(again, list);
    for (const char *k = kinds; *k; k++) {
        seen++;
        switch (*k) {
        case 'i':
            result += va_arg(list, int);
            break;
        case 'l':
            result += (double)va_arg(list, long);
            break;
        case 'd':
            result += va_arg(list, double);
            break;
        case 'D':
            result += (double)va_arg(list, long double);
            break;
        case 's':
            result += va_arg(list, struct small).b;
            break;
        case 'm':
            result += va_arg(list, struct mixed).d;
            break;
        case 'L':
            result += va_arg(list, struct large).text[7];
            break;
        }
    }
    if (*kinds == 'i')
        total += va_arg(again, int);
    va_end(list);
    va_end(again);
    total += result;
    return result;
}

static int format(const char *text, ...)
{
    va_list list;
    int length;

    va_start(list, text);
    length = vsnprintf(buffer, sizeof(buffer), text, list);
    va_end(list);
    return length;
}

int main(void)
{
    struct large large = {"abcdefghij"};

    printf("%g\n", sum("iiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8));
    printf("%g\n", sum("dddddddddd", 1., 2., 3., 4., 5., 6., 7., 8., 9., .5));
    printf("%g\n",
           sum("idDlsmL", 1, 2.5, 3.25L, 4l, (struct small){5, 6}, (struct mixed){7.5, 8}, large));
    printf("%g\n", sum("mmmmmLs", (struct mixed){1, 2}, (struct mixed){3, 4}, (struct mixed){5, 6},
                       (struct mixed){7, 8}, (struct mixed){9, 10}, large, (struct small){1, 2}));
    printf("%g %d\n", total, seen);
    printf("%d %s\n", format("%s-%05d-%Lg-%c-%lx", "x", 42, 2.5L, 'y', 0xfeedl), buffer);
    return 0;
}
