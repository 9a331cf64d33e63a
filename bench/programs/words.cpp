/*
 * C++: an index of words, made of std::map, std::vector, std::string and std::mutex.
 *
 * Three threads make up lines of text, split them, and enter each word with its line number into
 * one of 32 shards; then each takes every third shard, sorts the line numbers and digests them.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace
{

constexpr unsigned kThreads = 3;
constexpr unsigned kShards = 32;

struct Shard {
    std::mutex lock;
    std::map<std::string, std::vector<uint32_t>> lines;
};

Shard shards[kShards];

uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Few words are frequent and many are rare, as in a language. */
std::string make_word(uint64_t random)
{
    static const char *const syllables[] = {"ka", "to", "mi", "ren", "sol", "u", "pha", "lin"};
    uint64_t range = UINT64_C(1) << (2 + random % 13);
    uint64_t rest = (random >> 8) % range;
    std::string word;

    do {
        word += syllables[rest % 8];
        rest /= 8;
    } while (rest != 0);
    return word;
}

std::string make_line(uint32_t number)
{
    std::string line;
    for (uint64_t i = 0; i < 12; i++) {
        line += make_word(mix(uint64_t{number} << 8 | i));
        line += ' ';
    }
    return line;
}

uint64_t hash(const std::string &word)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (unsigned char letter : word)
        hash = (hash ^ letter) * UINT64_C(1099511628211);
    return hash;
}

void index_lines(uint32_t first, uint32_t last)
{
    for (uint32_t number = first; number < last; number++) {
        std::istringstream line(make_line(number));
        std::string word;
        while (line >> word) {
            Shard &shard = shards[hash(word) % kShards];
            std::lock_guard<std::mutex> guard(shard.lock);
            shard.lines[word].push_back(number);
        }
    }
}

uint64_t digest_shard(Shard &shard)
{
    uint64_t sum = 0;
    for (auto &entry : shard.lines) {
        std::sort(entry.second.begin(), entry.second.end());
        uint64_t digest = hash(entry.first);
        for (uint32_t number : entry.second)
            digest = mix(digest ^ number);
        sum += digest;
    }
    return sum;
}

template <typename Body> void in_threads(Body body)
{
    std::vector<std::thread> threads;
    for (unsigned self = 0; self < kThreads; self++)
        threads.emplace_back(body, self);
    for (std::thread &thread : threads)
        thread.join();
}

} // namespace

int main(int argc, char **argv)
{
    long percent = argc > 1 ? std::atol(argv[1]) : 100;
    uint32_t lines = static_cast<uint32_t>(40000 * (percent > 0 ? percent : 100) / 100);
    std::vector<uint64_t> sums(kThreads);
    uint64_t sum = 0;

    in_threads([=](unsigned self) { index_lines(self * lines, (self + 1) * lines); });
    in_threads([&](unsigned self) {
        uint64_t part = 0;
        for (unsigned i = self; i < kShards; i += kThreads)
            part += digest_shard(shards[i]);
        sums[self] = part;
    });
    for (uint64_t part : sums)
        sum += part;
    std::printf("%016llx\n", static_cast<unsigned long long>(sum));
    return 0;
}
