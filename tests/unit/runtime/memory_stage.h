/* Memory for the runtime, as long as a test lets it have some. */
#ifndef DARN_TESTS_MEMORY_STAGE_H
#define DARN_TESTS_MEMORY_STAGE_H

#include <stdbool.h>
#include <stddef.h>

static bool has_no_memory;

void *__real_darn_os_allocate(size_t size);

void *__wrap_darn_os_allocate(size_t size)
{
    return has_no_memory ? NULL : __real_darn_os_allocate(size);
}

#endif
