/*
 * claim: a node of a std::map that is changed without a lock is reported
 * build: -O0
 * build: -O2
 * run: --halt-on-error --report-unknown-origin=0 --budget=max --noise=site:@RAISE:1000/2000 x 20
 * expect: data-race on * at RAISE and RAISE
 */
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace
{
struct Employee {
    int salary = 1000;
};

std::mutex lock;
std::map<std::string, Employee> employees;

Employee &find(const std::string &name)
{
    std::lock_guard<std::mutex> guard(lock);
    return employees[name];
}

void raise()
{
    for (int i = 0; i < 300; i++) {
        Employee &employee = find("somebody with a long name");
        employee.salary += 10; /* race: RAISE */
    }
}
} // namespace

int main()
{
    std::thread one(raise), two(raise);
    one.join();
    two.join();
    return 0;
}
