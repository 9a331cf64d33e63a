/* Finds the call frame information of a place in the code: .eh_frame_hdr, which the loader knows.
 */
#ifndef DARN_RUNTIME_CFI_FIND_H
#define DARN_RUNTIME_CFI_FIND_H

#include "runtime/thread/cfi.h"

/* For copies of what is found. The longest entry of libc has 600 bytes. */
struct darn_cfi_room {
    uint8_t cie[256], fde[1024];
};

enum darn_cfi_found {
    DARN_CFI_FOUND,
    DARN_CFI_NOT_THERE, /* the module says nothing about this place */
    DARN_CFI_NO_MODULE, /* code that somebody has made, or none at all */
};

/*
 * The row of `pc`. Without `room` the module is read where it is: the caller knows that it stays,
 * because it is on its own way back. Else it is copied: a module that goes meanwhile ends the
 * search.
 */
enum darn_cfi_found darn_cfi_find(uintptr_t pc, struct darn_cfi_row *row,
                                  struct darn_cfi_room *room);

#endif
