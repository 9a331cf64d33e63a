/*
 * usage: fuzz_seeds trace|std|profile|schedule|section DIRECTORY — writes what the fuzzers start
 * from.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/pack.h"
#include "trace_image.h"

static const char *directory;

static void path_of(char *path, size_t size, const char *name)
{
    if (snprintf(path, size, "%s/%s", directory, name) >= (int)size) {
        fprintf(stderr, "fuzz_seeds: the path is too long\n");
        exit(1);
    }
}

/* `first` is the first byte, if it is not negative. */
static void write_seed(const char *name, int first, const void *bytes, size_t length)
{
    char path[4096];
    FILE *file;

    path_of(path, sizeof(path), name);
    file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    if (first >= 0)
        fputc(first, file);
    fwrite(bytes, 1, length, file);
    fclose(file);
}

/* The payloads of the image's blocks, as fuzz_trace.c takes them. */
static size_t gather_payloads(const struct image *image, uint8_t *to)
{
    uint8_t *start = to;

    for (size_t at = DARN_TRACE_HEADER; at < image->length;) {
        struct darn_block_header header;
        unsigned owner;

        memcpy(&header, image->bytes + at, sizeof(header));
        owner = header.type == DARN_BLOCK_TABLE ? 6 : header.thread;
        *to++ = (uint8_t)header.used;
        *to++ = (uint8_t)(owner << 5 | header.used >> 8);
        memcpy(to, image->bytes + at + sizeof(header), header.used);
        to += header.used;
        at += sizeof(header) + header.capacity;
    }
    return (size_t)(to - start);
}

static void write_packed_seeds(const struct image *image)
{
    static uint8_t bytes[1 << 16];
    char path[4096], error[512];
    size_t length;
    FILE *file;

    write_seed("packed", -1, image->bytes, image->length);
    path_of(path, sizeof(path), "packed");
    if (darn_trace_pack(path, error, sizeof(error)) || !(file = fopen(path, "rb"))) {
        fprintf(stderr, "fuzz_seeds: %s\n", error);
        exit(1);
    }
    length = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    write_seed("packed", 0, bytes, length);
    write_seed("packed-blocks", 2, bytes + DARN_TRACE_HEADER, length - DARN_TRACE_HEADER);
}

static void write_trace_seeds(void)
{
    static struct image image;
    static uint8_t payloads[1 << 16];
    size_t length;

    image_sample(&image);
    length = gather_payloads(&image, payloads);
    write_seed("file", 0, image.bytes, image.length);
    write_seed("blocks", 1, image.bytes + DARN_TRACE_HEADER, image.length - DARN_TRACE_HEADER);
    write_seed("payloads", 3, payloads, length);
    write_seed("packed-payloads", 4, payloads, length);
    write_packed_seeds(&image);
}

static void write_text(const char *name, const char *text)
{
    write_seed(name, -1, text, strlen(text));
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: fuzz_seeds trace|std|profile|schedule|section DIRECTORY\n");
        return 2;
    }
    directory = argv[2];
    if (strcmp(argv[1], "trace") == 0) {
        write_trace_seeds();
    } else if (strcmp(argv[1], "std") == 0) {
        write_text("all", "T0|fork(T1)|1\nT1|acq(L)|2\nT1|r(x)|3\nT1|w(y[f(2)])|4294967295\n"
                          "T1|rel(L)|5\nT1|begin|6\nT1|end|6\nT1|begin(f)|7\nT0|join(T1)\n");
        write_text("odd", "# note\r\n\r\n T1 | acq( L ) | 0x10 \r\nT1|rel(L)|");
    } else if (strcmp(argv[1], "schedule") == 0) {
        write_text("all", "darn schedule 1\nprogram /p\ndirectory /\nargument \\x20a\nargument\n"
                          "environment A=b\ninput in\nbuild 12\ntime 5\nmax-steps 9\n"
                          "flags races feed 0x100\nending abort\narmed 1 2 3\ninputs 00ff\n"
                          "module 0 /p\nmodule 1 /q\nT0 .start create@0+12\n"
                          "T1 !lock@1+ff*3 ~?take@0x7f00\n   unlock\nend\n");
        write_text("odd", "darn schedule 1\r\n# note\r\n\r\nprogram p\r\nT0 read*40\r\nend");
    } else if (strcmp(argv[1], "section") == 0) {
        write_text("all", "{\"darn-sections\": 1,\n \"sections\": [\n  {\"variable\": \"a->b\",\n"
                          "   \"function\": \"f\", \"file\": \"a.c\", \"kind\": \"pair\",\n"
                          "   \"entry\": \"1:2 read\", \"ends\": [\"x.h:3:4 write in g at 2 "
                          "allow=read seen=1 violated=2\"],\n   \"calls\": [\"2:1\"], "
                          "\"leaves\": [\"5:1\"], \"inside\": [\"loops\"], \"new\": [{}]}\n ],\n"
                          " \"dropped\": [\n  {\"lines\": \"a.c:1-2 x\", \"why\": \"so\"}\n ]}\n");
        write_text("lines",
                   "{\"darn-sections\": 1, \"sections\": [\"a.c:1-2 \\u00e9 allow=none\"]}");
    } else {
        write_text("all", "darn profile 1\nshared 8f3c0123456789ab bank.c:12:9 write balance\n"
                          "spin 1 2\nsuspect ffffffffffffffff 3\n");
        write_text("odd", "darn profile 1\r\n\r\n# note\ndarn profile 1\nshared 1");
    }
    return 0;
}
