#include "report/symbol/demangle.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangler(const char *name, char *buffer, size_t *length, int *status);

/* The C++ library is loaded when the first mangled name is met: reports on C programs do not pay
 * for it, and where a C++ program ran, it or LLVM's is there. */
static demangler *load(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    static demangler *found;

    for (size_t i = 0; !found && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);

        if (library)
            found = (demangler *)dlsym(library, "__cxa_demangle");
    }
    return found;
}

const char *darn_demangle(struct darn_pool *pool, const char *name)
{
    demangler *demangle;
    char *plain;
    int status;

    /* Without the check `i` would become "int": __cxa_demangle takes names of types, too. */
    if (!name || strncmp(name, "_Z", 2) != 0)
        return name;
    demangle = load();
    plain = demangle ? demangle(name, NULL, NULL, &status) : NULL;
    if (!plain)
        return name;
    name = darn_pool_text(pool, plain);
    free(plain);
    return name;
}
