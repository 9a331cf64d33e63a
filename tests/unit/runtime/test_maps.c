/* From an address to the file it is mapped from and the address in that file; the loader of this
 * process is the judge. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/report/maps.h"

static int initialized = 1;
static char zeroed[1 << 20]; /* larger than what is left of the last page of the file */
static const int constant = 2;

/* What the loader says: the file, and the address less the load bias. */
static void expect_as_the_loader(const void *address)
{
    struct link_map *map = NULL;
    Dl_info info;
    uint64_t offset = 0;
    char path[PATH_MAX];
    const char *file = darn_maps_find(darn_maps_read(), (uintptr_t)address, &offset);

    assert_true(dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP));
    assert_non_null(realpath(map->l_name[0] ? map->l_name : "/proc/self/exe", path));
    assert_non_null(file);
    assert_string_equal(file, path);
    assert_int_equal(offset, (uintptr_t)address - map->l_addr);
}

static const char *find(const void *address)
{
    uint64_t offset;

    return darn_maps_find(darn_maps_read(), (uintptr_t)address, &offset);
}

static void functions_of_the_program_are_found(void **state)
{
    (void)state;
    expect_as_the_loader((const void *)expect_as_the_loader);
    expect_as_the_loader((const char *)expect_as_the_loader + 5);
}

static void data_of_the_program_is_found(void **state)
{
    (void)state;
    expect_as_the_loader(&initialized);
    expect_as_the_loader(&constant);
}

/* It lies partly in a mapping of the file, partly in one that has no name. */
static void zeroed_data_of_the_program_is_found_from_first_to_last_byte(void **state)
{
    (void)state;
    expect_as_the_loader(zeroed);
    expect_as_the_loader(zeroed + sizeof(zeroed) / 2);
    expect_as_the_loader(zeroed + sizeof(zeroed) - 1);
}

static void functions_and_data_of_libraries_are_found(void **state)
{
    (void)state;
    expect_as_the_loader(dlsym(RTLD_DEFAULT, "getpid"));
    expect_as_the_loader(dlsym(RTLD_DEFAULT, "_IO_2_1_stdout_"));
    expect_as_the_loader(dlsym(RTLD_DEFAULT, "_cmocka_run_group_tests"));
}

static void a_library_that_is_loaded_later_is_found_when_the_maps_are_read_anew(void **state)
{
    void *library = dlopen("libresolv.so.2", RTLD_NOW);
    void *function = library ? dlsym(library, "ns_get16") : NULL;

    (void)state;
    assert_non_null(function);
    expect_as_the_loader(function);
    dlclose(library);
}

static void memory_that_comes_from_no_file_has_none(void **state)
{
    int on_the_stack = 0;
    void *on_the_heap = malloc(100);
    void *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_null(find(&on_the_stack));
    assert_null(find(on_the_heap));
    assert_null(find(mapped));
    assert_null(find(NULL));
    assert_null(find((const void *)(UINTPTR_MAX - 64)));
    munmap(mapped, 4096);
    free(on_the_heap);
}

/* An anonymous mapping right behind one of an ELF file looks like its zeroed data. */
static void memory_behind_a_file_is_not_its_zeroed_data(void **state)
{
    int fd = open("/proc/self/exe", O_RDONLY);
    char *mapped = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_true(fd >= 0);
    assert_ptr_not_equal(mapped, MAP_FAILED);
    assert_ptr_equal(mmap(mapped, 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0), mapped);
    assert_non_null(find(mapped));
    assert_null(find(mapped + 4096));
    munmap(mapped, 8192);
    close(fd);
}

/* It must not be taken for ELF: what it holds there would lead astray. */
static void a_mapped_file_that_is_no_program_has_its_name(void **state)
{
    char path[] = "/tmp/darn maps XXXXXX", text[8192];
    int fd = mkstemp(path);
    char *mapped;
    const char *file;

    (void)state;
    assert_true(fd >= 0);
    memset(text, 0x7f, sizeof(text));
    assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
    mapped = mmap(NULL, sizeof(text), PROT_READ, MAP_PRIVATE, fd, 0);
    assert_ptr_not_equal(mapped, MAP_FAILED);
    file = find(mapped + 5000);
    assert_non_null(file);
    assert_string_equal(file, path); /* with its spaces */
    munmap(mapped, sizeof(text));
    close(fd);
    unlink(path);
}

static void without_maps_nothing_is_found(void **state)
{
    uint64_t offset;

    (void)state;
    assert_null(darn_maps_find(NULL, (uintptr_t)&initialized, &offset));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_the_program_are_found),
        cmocka_unit_test(data_of_the_program_is_found),
        cmocka_unit_test(zeroed_data_of_the_program_is_found_from_first_to_last_byte),
        cmocka_unit_test(functions_and_data_of_libraries_are_found),
        cmocka_unit_test(a_library_that_is_loaded_later_is_found_when_the_maps_are_read_anew),
        cmocka_unit_test(memory_that_comes_from_no_file_has_none),
        cmocka_unit_test(memory_behind_a_file_is_not_its_zeroed_data),
        cmocka_unit_test(a_mapped_file_that_is_no_program_has_its_name),
        cmocka_unit_test(without_maps_nothing_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
