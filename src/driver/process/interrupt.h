/*
 * Being asked to end while runs are under way: what there is counts.
 */
#ifndef DARN_DRIVER_INTERRUPT_H
#define DARN_DRIVER_INTERRUPT_H

/* From now on SIGINT, SIGTERM and SIGHUP call the handler, unless they are ignored, and writing to
 * a pipe that nobody reads is an error like others. */
void darn_catch_interrupts(void (*handler)(int number));

#endif
