/* ORDER() keeps the accesses before it before those after it: x86 does so for all but a store and a
 * later load, which none of the programs here needs, if only the compiler does. */
#if defined(__x86_64__) || defined(__i386__)
#define ORDER() __asm__ volatile("" ::: "memory")
#define PAUSE() __builtin_ia32_pause()
#else
#define ORDER() __sync_synchronize()
#define PAUSE() ORDER()
#endif
