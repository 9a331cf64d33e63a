/*
 * claim: a program closes all files, also what it has not opened, and gives 0 and 2 to others
 * build: -O1
 * modes: run max record hunt explore heal only
 * stdout: closed what is above 2
 * stdout: numbers are given as ever
 * stdout: 2 is a file of data, with 12 bytes
 */
#include "hostile.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(void)
{
    struct stat status;
    two_threads_count();
    must(close_range(3, ~0U, 0) == 0);
    two_threads_count();
    say("closed what is above 2");
    must(open("/dev/null", O_RDWR) == 3 && open("/dev/null", O_RDWR) == 4);
    two_threads_count();
    must(open("/dev/null", O_RDWR) == 5 && close_range(3, ~0U, 0) == 0);
    say("numbers are given as ever");
    int data = memfd_create("data", 0);
    must(close(2) == 0 && dup(data) == 2 && close(data) == 0);
    must(close(0) == 0 && open("/dev/null", O_RDONLY) == 0);
    must(write(2, "some content", 12) == 12);
    two_threads_count();
    must(fstat(2, &status) == 0 && status.st_size == 12);
    say("2 is a file of data, with 12 bytes");
    must(close_range(0, ~0U, 0) == 0);
    two_threads_count();
    return 0;
}
