/* A signal handler that darn never sees: compiled by the plain compiler. */
#include <signal.h>

extern volatile sig_atomic_t plain_hits;
void plain_handler(int number);

volatile sig_atomic_t plain_hits;

void plain_handler(int number)
{
    (void)number;
    plain_hits++;
}
