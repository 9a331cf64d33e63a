/*
 * claim: an object that another thread deletes long after it was used is reported in every plain run
 * build: -O0
 * build: -O2
 * run: x 20
 * expect: data-race on * at USE and DELETE
 */
#include <thread>
#include <sys/stat.h>
#include <unistd.h>

enum { USED = 0123 };

struct Object {
    long values[8];
};

int main()
{
    umask(0);
    Object *object = new Object();
    std::thread one([=] {
        object->values[3] = 1; /* race: USE */
        umask(USED);
    });
    std::thread two([=] {
        while (umask(0) != USED) // not before: nothing else that is known orders the two
            usleep(1000);
        usleep(10000);
        delete object; /* race: DELETE */
        usleep(1);     /* else the compiler jumps there, and the report has no line of ours */
    });
    one.join();
    two.join();
    return 0;
}
