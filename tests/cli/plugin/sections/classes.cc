// Exceptions and objects.
#include <mutex>
#include <stdexcept>

void may_throw();
int level;
std::mutex guard;

// section: load-and-store by_exception level entry=+3:read end=+5:write:read leave=_ inside=calls,unknown
void by_exception() {
    try {
        int old = level;
        may_throw();
        level = old + 1;
    } catch (const std::exception &) {
        throw;
    }
}

struct stack {
    int *bottom;
    int depth;
    // section: test-and-use pop this->depth entry=+3:read end=+6:read:read leave=_ inside=calls,unknown
    // section: load-and-store pop this->depth entry=+5:read end=+5:write:read
    int pop() {
        if (depth == 0)
            return 0;
        may_throw();
        return bottom[--depth];
    }
};
int use(stack &s) { return s.pop(); }
