/*
 * The trace file: how it is laid out. The runtime writes it, the reader (trace.h) reads it; how the
 * events in a block are encoded is in codec.h. All numbers are little endian.
 *
 *   file header      DARN_TRACE_HEADER bytes
 *   block, block, …  each a block header and room for `capacity` bytes of payload
 *
 * While a program runs, its blocks are mapped into its memory: whatever it has written there is in
 * the file even if it is killed. `used` says how much of a block is valid; it is raised after the
 * bytes are in place. A block whose header is all zeroes was reserved, but its owner did not get
 * to use it; it is skipped by DARN_TRACE_PAGE bytes, for every unpacked block begins at a multiple
 * of that and has a size of 1, 4 or 16 pages (short threads take small ones). `darn record` packs
 * the file when the program has ended: blocks are then compressed (DARN_BLOCK_ZSTD), and lie one
 * right behind the other.
 *
 * Blocks of events belong to one thread each, and form its stream in the order of `sequence`.
 * Events that synchronize carry a stamp, taken from one counter for all threads: the reader merges
 * the streams by it. Within a stream it never goes down. Blocks of tables hold what the events name
 * by number, in records:
 *
 *   type (1 byte)  length (varint)  payload (length bytes)
 *
 * A reader skips records of a type that it does not know. Records may name others that come later.
 */
#ifndef DARN_TRACE_FORMAT_H
#define DARN_TRACE_FORMAT_H

#include <assert.h>
#include <stdint.h>

#define DARN_TRACE_MAGIC   "darntrc\n"
/* Since 2 there are STACK and POINTER events, since 3 AFTER_ALL, since 4 USE and DESTROY. */
#define DARN_TRACE_VERSION 4
#define DARN_TRACE_HEADER  4096
#define DARN_TRACE_PAGE    4096
#define DARN_TRACE_BLOCK   65536      /* the largest unpacked block, with its header */
#define DARN_TRACE_MOST    (1u << 18) /* the largest payload of a packed block, when unpacked */
#define DARN_TRACE_THREADS (1u << 22) /* a number of a thread that is not below it is damage */

struct darn_trace_header {
    char magic[8];
    uint32_t version;
    uint32_t pid;
    uint32_t packed;   /* 1: by darn record, after the end of the program */
    uint32_t finished; /* 1: the program has ended in good order, and said so */
    uint64_t lost;     /* events that were not recorded */
    uint64_t bytes;    /* of the whole file, when it is packed; 0: not known */
    uint64_t lost_at;  /* the smallest stamp of what was lost: events from there on are not read */
    uint32_t why;      /* enum darn_trace_why */
    uint32_t at_least; /* 1: a thread could not even count what it lost */
    /* Set by who reads the file while it is written (follow.h). */
    uint64_t ahead; /* so many bytes may be unread before the program waits; 0: nobody reads */
    uint64_t taken; /* and so many were read, and given back */
};

/* Why events were not recorded; 0 in traces that do not say it. */
enum darn_trace_why {
    DARN_WHY_UNKNOWN,
    DARN_WHY_MAX_SIZE,   /* the file has reached --max-size */
    DARN_WHY_FILE_LIMIT, /* files may not be larger: ulimit -f */
    DARN_WHY_DISK,       /* the disk was full */
    DARN_WHY_MEMORY,     /* no memory, or no address space: ulimit -v */
};

#define DARN_BLOCK_MAGIC 0x4b4c4264u /* "dBLK" */

enum darn_block_type { DARN_BLOCK_EVENTS = 1, DARN_BLOCK_TABLE = 2 };

enum darn_block_flag { DARN_BLOCK_ZSTD = 1 }; /* the payload is one zstd frame, with a checksum */

struct darn_block_header {
    uint32_t magic;
    uint16_t type;
    uint16_t flags;
    uint32_t thread;   /* of a block of events */
    uint32_t sequence; /* of the block among those of its thread, or of the tables, from 0 */
    uint32_t capacity; /* bytes that the block takes in the file after this header */
    uint32_t used;     /* bytes of the payload that are valid */
    uint32_t unpacked; /* DARN_BLOCK_ZSTD: bytes of the payload when it is unpacked */
    uint32_t room;     /* of a packed file: bytes that the unpacked payload had room for */
};

static_assert(sizeof(struct darn_block_header) == 32, "it is in the file");

/* The largest payload of an unpacked block. */
#define DARN_TRACE_PAYLOAD (DARN_TRACE_BLOCK - sizeof(struct darn_block_header))

/*
 * Records of tables. Numbers are varints, a text is its length as varint and its bytes. Ids count
 * from 1. A site, where, stack, module or thread has one record; a later one with the same id
 * replaces it.
 */
enum darn_record_type {
    DARN_RECORD_PROGRAM = 1, /* text: path of the program */
    DARN_RECORD_MODULE,      /* id, start, end, offset of the start in the file's addresses, path */
    DARN_RECORD_THREAD,      /* number + 1, tid, number of the parent + 1 or 0, stack, name */
    DARN_RECORD_SITE,        /* id, line, column, size, kind, flags, key, file, dir, function,
                                variable; as struct darn_site has them; darn_site_inlined */
    DARN_RECORD_STACK,       /* id, depth, depth addresses of code, the innermost first */
    DARN_RECORD_WHERE,       /* id, site, stack: what the events name as where they happened */
    DARN_RECORD_SYNC,        /* id, site that reads, site that writes: a recognised spin */
    DARN_RECORD_COUNTER,     /* id, value, text: something that went wrong, for people */
};

#endif
