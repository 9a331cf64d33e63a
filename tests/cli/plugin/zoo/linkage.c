/* Functions and variables that the linker or the loader treats in its own way. */
int shared;
static _Thread_local int own_thread_local;
_Thread_local int thread_local_variable;
extern _Thread_local int elsewhere_thread_local;
int weak_variable __attribute__((weak));
extern int alias_variable __attribute__((alias("shared")));
int __seg_gs *in_segment;
static int in_section __attribute__((section("my_section"))) = 1;

int thread_locals(void)
{
    own_thread_local++;
    thread_local_variable++;
    return own_thread_local + thread_local_variable + elsewhere_thread_local;
}

__attribute__((weak)) int weak_function(void)
{
    return weak_variable++;
}

int by_alias(void)
{
    return alias_variable + ++in_section;
}

static int implementation(void)
{
    return shared;
}

static void *choose(void)
{
    return implementation;
}

__attribute__((ifunc("choose"))) int chosen(void);

__attribute__((constructor)) void at_start(void)
{
    shared = 3;
}

__attribute__((constructor(200))) void early(void)
{
    shared = 2;
}

__attribute__((destructor(200))) void at_end(void)
{
    shared = 4;
}

__attribute__((naked)) void naked(void)
{
    asm("ret");
}

int segments(int __seg_fs *p)
{
    return *p + *in_segment;
}

__attribute__((noinline, optnone)) int not_optimized(void)
{
    return shared++;
}

__attribute__((section(".text.mine"), cold)) int in_text_section(void)
{
    return shared--;
}

extern inline __attribute__((gnu_inline)) int only_inline(void)
{
    return ++shared;
}

int uses_inline(void)
{
    return only_inline();
}
