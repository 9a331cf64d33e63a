/*
 * The calls in the machine code of an ELF file: what is called there, and where else it is called.
 *
 * No disassembler: a call that ends at a return address is known by its bytes, and calls of a
 * function by bytes that would be one, with just that target. That other bytes look so happens
 * once in billions.
 */
#ifndef DARN_DRIVER_ELF_CALLS_H
#define DARN_DRIVER_ELF_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "section/build.h"

/* A function that has code, or the stub of one of another file. */
struct darn_elf_function {
    uint64_t address, size; /* size 0: a stub */
    const char *name;       /* of the symbol table */
};

struct darn_elf_calls {
    const char *file;
    size_t size;
    char build[DARN_BUILD_SIZE];
    struct darn_elf_function *functions;
    size_t function_count, function_room;
    struct darn_elf_slot *slots; /* of the table of addresses that the loader fills */
    size_t slot_count, slot_room;
};

/* 0, or -1 when it is no ELF file for x86-64. The file stays mapped until the end. */
int darn_elf_calls_open(struct darn_elf_calls *elf, const char *path);
void darn_elf_calls_close(struct darn_elf_calls *elf);

/* The name of the function whose call ends at this address. NULL: it is not known, as that of a
 * call through a pointer. */
const char *darn_elf_callee(const struct darn_elf_calls *elf, uint64_t after);

/* Calls back with the address behind each call of `callee` between two addresses. */
void darn_elf_each_call(const struct darn_elf_calls *elf, uint64_t start, uint64_t end,
                        const char *callee, void (*visit)(void *context, uint64_t after),
                        void *context);

#endif
