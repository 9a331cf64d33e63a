/*
 * What is so in every program that was not built to be healed and nothing else (production/): those
 * have definitions of their own, which win. A symbol that is left undefined instead, as weak ones
 * may be, is not NULL where gold links the program.
 */
#include "runtime/interpose/intercept.h"
#include "runtime/state.h"

__attribute__((weak)) const char darn_production[] = "";
__attribute__((weak)) const char darn_heal_path[] = "";

__attribute__((weak)) void darn_ends_simply(void)
{
}
