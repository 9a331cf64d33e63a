/*
 * Children: a thousand processes are forked, one after the other, and end at once.
 */
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 1000 };

int main(void)
{
    for (int i = 0; i < CHILDREN; i++) {
        int status;
        pid_t child = fork();

        if (child == 0)
            _exit(0);
        if (child < 0 || waitpid(child, &status, 0) != child || status)
            return 1;
    }
    return 0;
}
