/*
 * Included first by every file of the runtime: its variables lie in sections of their own, and can be
 * told from those of the program, which it is linked into (os_memory.c).
 */
#pragma clang section bss = "darn_bss" data = "darn_data"
