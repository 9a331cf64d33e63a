/* Profiles: whatever the text, it is read to its end or to the line that is none. */
#include <stdint.h>
#include <stdlib.h>

#include "trace/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const char *text = (const char *)bytes;
    struct darn_fact fact;
    size_t at = 0, before;
    int result;

    (void)darn_profile_is(text, length);
    do {
        before = at;
        result = darn_profile_next(text, length, &at, &fact);
        if (at > length || at < before || (result > 0 && (at == before || !fact.site)))
            abort();
    } while (result > 0);
    if (result == 0 && at != length)
        abort();
    return 0;
}
