/*
 * A small program, compiled by darn cc, and control blocks made up by hand as if it had run: its
 * places are found by marks in its source.
 */
#ifndef DARN_TESTS_SNAPSHOT_FIXTURE_H
#define DARN_TESTS_SNAPSHOT_FIXTURE_H

#include "report_fixture.h"

#include <fcntl.h>
#include <gelf.h>

#include "report/story/snapshot.h"
#include "report/symbol/symbolize.h"
#include "site/site.h"

#define BASE UINT64_C(0x555555554000)
#define HEAP UINT64_C(0x555555700000)

static const char snapshot_source[] =
    "#include <pthread.h>\n"
    "#include <stdlib.h>\n"
    "\n"
    "struct account { pthread_mutex_t lock; long balance; };\n"
    "\n"
    "pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n"
    "pthread_cond_t ready = PTHREAD_COND_INITIALIZER;\n"
    "struct account savings;\n"
    "int done;\n"
    "int *where;\n"
    "\n"
    "__attribute__((noinline)) static long withdraw(struct account *client, long amount)\n"
    "{\n"
    "    if (client->balance < amount) /* @test */\n"
    "        return 0;\n"
    "    client->balance -= amount; /* @take */\n"
    "    return amount;\n"
    "}\n"
    "\n"
    "static void *customer(void *unused)\n"
    "{\n"
    "    withdraw(&savings, 100); /* @customer */\n"
    "    return unused;\n"
    "}\n"
    "\n"
    "static void *one(void *unused)\n"
    "{\n"
    "    pthread_mutex_lock(&a); /* @one-first */\n"
    "    pthread_mutex_lock(&b); /* @one-second */\n"
    "    pthread_mutex_unlock(&b);\n"
    "    pthread_mutex_unlock(&a);\n"
    "    return unused;\n"
    "}\n"
    "\n"
    "static void *other(void *unused)\n"
    "{\n"
    "    pthread_mutex_lock(&b); /* @other-first */\n"
    "    pthread_mutex_lock(&a); /* @other-second */\n"
    "    pthread_mutex_unlock(&a);\n"
    "    pthread_mutex_unlock(&b);\n"
    "    return unused;\n"
    "}\n"
    "\n"
    "static void *waiter(void *unused)\n"
    "{\n"
    "    pthread_mutex_lock(&a); /* @waiter */\n"
    "    while (!done)\n"
    "        pthread_cond_wait(&ready, &a); /* @wait */\n"
    "    pthread_mutex_unlock(&a);\n"
    "    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) /* @spin */\n"
    "        ;\n"
    "    *where = 1; /* @crash */\n"
    "    return unused;\n"
    "}\n"
    "\n"
    "int main(void)\n"
    "{\n"
    "    void *(*const functions[])(void *) = {customer, one, other, waiter};\n"
    "    pthread_t threads[4];\n"
    "\n"
    "    savings.balance = 100; /* @open */\n"
    "    for (int i = 0; i < 4; i++)\n"
    "        pthread_create(&threads[i], NULL, functions[i], NULL); /* @create */\n"
    "    pthread_cond_signal(&ready); /* @signal */\n"
    "    for (int i = 0; i < 4; i++)\n"
    "        pthread_join(threads[i], NULL); /* @join */\n"
    "    free(where); /* @free */\n"
    "    pthread_create(&threads[0], /* @one-more */\n"
    "                   NULL, (void *(*)(void *))&waiter, (void *)0);\n"
    "    return 0;\n"
    "}\n";

static struct {
    char *dir, program[512];
    int fd;
    Elf *elf;
    struct darn_modules modules;
} shop;

/* Compiles the program, once for all tests. */
static inline int snapshot_build(void **state)
{
    static char command[2048];
    void *dir;

    (void)state;
    if (make_dir(&dir))
        return -1;
    shop.dir = dir;
    write_file(shop.dir, "shop.c", snapshot_source);
    snprintf(shop.program, sizeof(shop.program), "%s/shop", shop.dir);
    snprintf(command, sizeof(command), "cd %s && %s/darn-cc -O1 -g -pthread shop.c -o shop",
             shop.dir, DARN_BIN_DIR);
    if (system(command))
        return -1;
    shop.fd = open(shop.program, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    shop.elf = shop.fd < 0 ? NULL : elf_begin(shop.fd, ELF_C_READ, NULL);
    return shop.elf ? 0 : -1;
}

static inline int snapshot_remove(void **state)
{
    void *dir = shop.dir;

    (void)state;
    darn_modules_close(&shop.modules);
    elf_end(shop.elf);
    close(shop.fd);
    return remove_dir(&dir);
}

/* The line of the source that has the mark. */
static inline unsigned line_of(const char *mark)
{
    char text[64];
    const char *found;
    unsigned line = 1;

    snprintf(text, sizeof(text), "/* @%s */", mark);
    found = strstr(snapshot_source, text);
    assert_non_null(found);
    for (const char *c = snapshot_source; c < found; c++)
        line += *c == '\n';
    return line;
}

static inline Elf_Scn *section_named(const char *name, GElf_Shdr *header)
{
    size_t names;
    Elf_Scn *section = NULL;

    assert_int_equal(elf_getshdrstrndx(shop.elf, &names), 0);
    while ((section = elf_nextscn(shop.elf, section))) {
        gelf_getshdr(section, header);
        if (strcmp(elf_strptr(shop.elf, names, header->sh_name), name) == 0)
            return section;
    }
    fail_msg("there is no section %s", name);
    return NULL;
}

/* The record of the access of this kind at the mark, as an address in the process. */
static inline uint64_t site_at(const char *mark, enum darn_site_kind kind)
{
    GElf_Shdr header;
    Elf_Data *data = elf_getdata(section_named(DARN_SITE_SECTION, &header), NULL);
    unsigned line = line_of(mark);

    for (size_t at = 0; at + sizeof(struct darn_site) <= data->d_size;
         at += sizeof(struct darn_site)) {
        struct darn_site site;

        memcpy(&site, (char *)data->d_buf + at, sizeof(site));
        if (site.line == line && site.kind == kind)
            return BASE + header.sh_addr + at;
    }
    fail_msg("there is no site of kind %d at @%s", kind, mark);
    return 0;
}

static inline GElf_Sym symbol_named(const char *name)
{
    GElf_Shdr header;
    Elf_Data *data = elf_getdata(section_named(".symtab", &header), NULL);
    GElf_Sym symbol;

    for (int i = 0; gelf_getsym(data, i, &symbol); i++)
        if (strcmp(elf_strptr(shop.elf, header.sh_link, symbol.st_name), name) == 0)
            return symbol;
    fail_msg("there is no symbol %s", name);
    return symbol;
}

static inline uint64_t address_of(const char *name)
{
    return BASE + symbol_named(name).st_value;
}

/* An address to which a call in the line of the mark could return. */
static inline uint64_t call_at(const char *function, const char *mark)
{
    GElf_Sym symbol = symbol_named(function);
    struct darn_frame frames[DARN_SYMBOLIZE_DEPTH];
    struct darn_text_pool pool = {0};
    unsigned line = line_of(mark);
    uint64_t found = 0;

    for (uint64_t at = symbol.st_value; at < symbol.st_value + symbol.st_size; at++) {
        darn_symbolize_code(&shop.modules, &pool, shop.program, at, frames);
        if (frames[0].line == line)
            found = at + 1;
    }
    darn_pool_release(&pool);
    assert_true(found);
    return BASE + found;
}

/* A snapshot over an empty block. */
static inline struct darn_snapshot new_snapshot(void)
{
    struct darn_control_block *block = calloc(1, sizeof(*block));

    assert_non_null(block);
    block->module_count = 1;
    block->modules[0].base = BASE;
    block->modules[0].size = 0x100000;
    strcpy(block->modules[0].path, shop.program);
    return (struct darn_snapshot){
        .block = block, .modules = &shop.modules, .program = shop.program, .arguments = " -n 3"};
}

static inline struct darn_control_block *block_of(const struct darn_snapshot *snapshot)
{
    return (struct darn_control_block *)(uintptr_t)snapshot->block;
}

static inline void free_snapshot(struct darn_snapshot *snapshot)
{
    free(block_of(snapshot));
}

static inline struct darn_step *add_step(struct darn_snapshot *snapshot, uint32_t thread,
                                         enum darn_step_op op, uint64_t object, uint64_t place)
{
    struct darn_control_block *block = block_of(snapshot);
    struct darn_step *step = &block->steps[block->result.steps++];

    *step =
        (struct darn_step){.thread = thread, .op = (uint8_t)op, .object = object, .place = place};
    return step;
}

static inline struct darn_block_thread *add_thread(struct darn_snapshot *snapshot, uint32_t number,
                                                   enum darn_thread_state state,
                                                   enum darn_step_op op, uint64_t object,
                                                   uint64_t place)
{
    struct darn_result *result = &block_of(snapshot)->result;
    struct darn_block_thread *thread = &result->threads[result->thread_count++];

    *thread = (struct darn_block_thread){.thread = number,
                                         .state = (uint8_t)state,
                                         .op = (uint8_t)op,
                                         .object = object,
                                         .place = place};
    return thread;
}

/* As if it had been called from there. */
static inline void push(struct darn_block_thread *thread, uint64_t pc)
{
    thread->stack[thread->depth++] = pc;
}

static inline void hold(struct darn_block_thread *thread, uint64_t lock, uint64_t pc)
{
    thread->locks[thread->lock_count] = lock;
    thread->lock_pcs[thread->lock_count++] = pc;
}

static inline struct darn_block_met *add_met(struct darn_snapshot *snapshot,
                                             enum darn_met_kind kind)
{
    struct darn_result *result = &block_of(snapshot)->result;
    struct darn_block_met *met = &result->met[result->met_count++];

    met->kind = (uint32_t)kind;
    met->step = result->steps;
    return met;
}

/* The caller frees it. */
static inline char *tell(const struct darn_snapshot *snapshot, unsigned most)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    assert_non_null(out);
    darn_snapshot_story(snapshot, out, most);
    fclose(out);
    return text;
}

__attribute__((unused)) static unsigned count_lines(const char *text)
{
    unsigned lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

#endif
