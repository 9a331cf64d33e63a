/*
 * Which build of an ELF file this is: addresses in it mean something for that one only.
 *
 * It is the linker's build id, in hexadecimal digits; of a file that has none, `code:` and a hash
 * of its code. Read from the file or from what is loaded: both have the same.
 *
 * Lives in the program under test as well.
 */
#ifndef DARN_SECTION_BUILD_H
#define DARN_SECTION_BUILD_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DARN_BUILD_SIZE 72 /* of the name, with the NUL; a longer id is cut */

/* `base` is what p_vaddr counts from in memory; with `in_file` it is the start of the file, of
 * which `size` bytes are there. False: there is no code. */
bool darn_build_name(const Elf64_Phdr *headers, size_t count, const char *base, bool in_file,
                     size_t size, char name[DARN_BUILD_SIZE]);

#endif
