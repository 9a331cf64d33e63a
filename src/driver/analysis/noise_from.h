/*
 * Noise aimed at what earlier runs found: a JSON Lines file becomes specifications of noise.
 */
#ifndef DARN_DRIVER_NOISE_FROM_H
#define DARN_DRIVER_NOISE_FROM_H

#include "base/options.h"

/* How strongly: always, and long enough for the other thread to arrive. */
#define DARN_NOISE_FROM_FREQUENCY 1000
#define DARN_NOISE_FROM_STRENGTH  200

/* Adds a specification for each place and each variable of the findings in the file that is not
 * there yet; places come first. Sets *left_out to whether some found no room. 0, or -EINVAL with
 * one line in `error`: "FILE:LINE: what is wrong". */
int darn_noise_from(struct darn_options *options, const char *path, bool *left_out, char *error,
                    size_t error_size);

#endif
