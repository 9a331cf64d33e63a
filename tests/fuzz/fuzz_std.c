/* Text traces. */
#include "walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    walk(bytes, length, false);
    walk(bytes, length, true);
    return 0;
}
