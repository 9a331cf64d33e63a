/*
 * claim: requests that end in a thread of libc are handed over there and back, the first as well as later ones
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 3
 * run: x 3
 * predict: hb,syncp
 * expect: none
 */
#define _GNU_SOURCE
#include <aio.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* asynchronous writes; the completion runs in a thread of glibc */
struct op { struct aiocb cb; char buf[32]; int status; sem_t done; };
static void completed(union sigval v)
{
	struct op *o = v.sival_ptr;
	o->status = (int)aio_return(&o->cb);
	sem_post(&o->done);
}
int main(void)
{
	char name[] = "/tmp/aioXXXXXX";
	int fd = mkstemp(name);
	unlink(name);
	struct op *o = calloc(1, sizeof *o);
	for (int i = 0; i < 5; i++) {
		memset(&o->cb, 0, sizeof o->cb);
		sem_init(&o->done, 0, 0);
		snprintf(o->buf, sizeof o->buf, "record %d", i);
		o->cb.aio_fildes = fd;
		o->cb.aio_buf = o->buf;
		o->cb.aio_nbytes = 9;
		o->cb.aio_offset = i * 9;
		o->cb.aio_sigevent.sigev_notify = SIGEV_THREAD;
		o->cb.aio_sigevent.sigev_notify_function = completed;
		o->cb.aio_sigevent.sigev_value.sival_ptr = o;
		if (aio_write(&o->cb))
			return 1;
		while (sem_wait(&o->done))
			;
		assert(o->status == 8 + 1);
		sem_destroy(&o->done);
	}
	struct aiocb rd;
	char in[9];
	memset(&rd, 0, sizeof rd);
	rd.aio_fildes = fd;
	rd.aio_buf = in;
	rd.aio_nbytes = 8;
	if (aio_read(&rd))
		return 1;
	const struct aiocb *list[1] = {&rd};
	while (aio_error(&rd) == EINPROGRESS)
		aio_suspend(list, 1, NULL);
	assert(aio_return(&rd) == 8 && !memcmp(in, "record 0", 8));
	free(o);
	puts("ok");
}
