/*
 * claim: regular expressions that two threads compile and match are never reported, though the library keeps in the locale
 *        what it has narrowed, without a lock
 * tsan: no
 * build: -O0
 * build: -O2
 * run: x 4
 * run: --budget=max x 4
 * predict: hb
 * expect: none
 */
#include <regex>
#include <string>
#include <thread>

static bool matches(const std::string &text)
{
    std::regex number("[0-9]+ [a-z\\d]*(ab|cd)?");

    return std::regex_search(text, number);
}

int main()
{
    bool first = false, second = false;
    std::thread one([&first] { first = matches("in 12 days"); });
    std::thread two([&second] { second = matches("in 7 years"); });

    one.join();
    two.join();
    return !first || !second;
}
