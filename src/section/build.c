#include "section/build.h"

#include <string.h>

#include "base/hash.h"
#include "base/text.h"

/* The bytes of a segment, or NULL when the file is too short for them. */
static const char *bytes_of(const Elf64_Phdr *header, const char *base, bool in_file, size_t size)
{
    if (!in_file)
        return base + header->p_vaddr;
    if (header->p_offset > size || header->p_filesz > size - header->p_offset)
        return NULL;
    return base + header->p_offset;
}

static void write_hex(struct darn_text *text, unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";

    darn_text_char(text, digits[byte >> 4]);
    darn_text_char(text, digits[byte & 15]);
}

/* Notes are padded to 4 bytes; name and description follow the header. */
static bool find_id(const char *notes, size_t size, struct darn_text *name)
{
    Elf64_Nhdr note;

    for (size_t at = 0; at + sizeof(note) <= size;) {
        size_t owner, value, end;

        memcpy(&note, notes + at, sizeof(note));
        owner = at + sizeof(note);
        value = owner + (((size_t)note.n_namesz + 3) & ~(size_t)3);
        end = value + (((size_t)note.n_descsz + 3) & ~(size_t)3);
        if (value > size || note.n_descsz > size - value)
            return false;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz &&
            memcmp(notes + owner, "GNU", 4) == 0) {
            for (size_t i = 0; i < note.n_descsz; i++)
                write_hex(name, (unsigned char)notes[value + i]);
            return true;
        }
        at = end;
    }
    return false;
}

/* By words: some megabytes of code take a millisecond. */
static uint64_t hash_code(uint64_t hash, const char *code, size_t size)
{
    uint64_t word;
    size_t at = 0;

    for (; at + sizeof(word) <= size; at += sizeof(word)) {
        memcpy(&word, code + at, sizeof(word));
        hash = (hash ^ word) * DARN_HASH_PRIME;
        hash ^= hash >> 29;
    }
    return darn_hash_bytes(hash, code + at, size - at);
}

bool darn_build_name(const Elf64_Phdr *headers, size_t count, const char *base, bool in_file,
                     size_t size, char name[DARN_BUILD_SIZE])
{
    uint64_t hash = DARN_HASH_START;
    bool has_code = false;
    struct darn_text text;

    darn_text_start(&text, name, DARN_BUILD_SIZE);
    for (size_t i = 0; i < count; i++) {
        const char *bytes =
            headers[i].p_type == PT_NOTE ? bytes_of(&headers[i], base, in_file, size) : NULL;

        if (bytes && find_id(bytes, headers[i].p_filesz, &text))
            return true;
    }
    for (size_t i = 0; i < count; i++) {
        const char *bytes;

        if (headers[i].p_type != PT_LOAD || !(headers[i].p_flags & PF_X))
            continue;
        bytes = bytes_of(&headers[i], base, in_file, size);
        if (!bytes)
            return false;
        hash = hash_code(hash, bytes, headers[i].p_filesz);
        has_code = true;
    }
    darn_text_add(&text, "code:");
    for (int shift = 56; shift >= 0; shift -= 8)
        write_hex(&text, (unsigned char)(hash >> shift));
    return has_code;
}
