/*
 * claim: an exception that several threads share, and whoever is last destroys, is never reported
 * tsan: no
 * build: -O0
 * build: -O2
 * run: x 10
 * run: --budget=max x 10
 * predict: hb x 2
 * expect: none
 */
#include <exception>
#include <thread>

namespace
{
enum { ROUNDS = 50, THREADS = 2 };

struct Error {
    int code;
    mutable long padding[6] = {};
    explicit Error(int number) : code(number)
    {
    }
    Error(const Error &other) = default;
    ~Error()
    {
        code = -1; /* the last one may write */
    }
};

void work(std::exception_ptr shared, int code, int &wrong)
{
    try {
        std::rethrow_exception(std::move(shared));
    } catch (const Error &error) {
        wrong += error.code != code;
    }
}
} // namespace

int main()
{
    int wrong[THREADS] = {};
    for (int i = 0; i < ROUNDS; i++) {
        std::exception_ptr error;
        try {
            throw Error(i);
        } catch (...) {
            error = std::current_exception();
        }
        std::thread one(work, error, i, std::ref(wrong[0]));
        std::thread two(work, std::move(error), i, std::ref(wrong[1]));
        one.join();
        two.join();
    }
    return wrong[0] + wrong[1];
}
