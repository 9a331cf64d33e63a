/*
 * claim: files are messages, and handlers of on_exit come after who has asked for them
 * tsan: no
 * build: -std=c++17 -O1
 * run: x 5
 * run: --budget=max x 2
 * predict: hb
 * expect: none
 */
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

static long box[5][8];
static int at_exit;
static bool is_set;

static void with_file(int round)
{
    std::filesystem::path path = "there." + std::to_string(getpid());
    std::thread thread([&] {
        box[round][0]++;
        std::ofstream(path) << "x";
    });

    while (!std::filesystem::exists(path))
        usleep(100);
    box[round][0]++;
    thread.join();
    std::filesystem::remove(path);
}

static void end(int, void *)
{
    at_exit++;
}

int main()
{
    for (int round = 0; round < 5; round++) {
        with_file(round);
    }
    std::thread([] {
        at_exit++;
        on_exit(end, nullptr);
        is_set = true;
        usleep(1000000);
    }).detach();
    while (!*(volatile bool *)&is_set)
        usleep(100);
    return 0;
}
