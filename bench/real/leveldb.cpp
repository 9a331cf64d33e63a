/*
 * Drives LevelDB from two threads, with its background thread as the third.
 *
 * usage: leveldb [PERCENT]
 *
 * Each thread writes, overwrites, deletes and reads keys of its own part of one database, which is
 * kept in memory by LevelDB's own environment for tests: the disk has no part in the times. Small
 * write buffers keep the compaction busy. The checksum is taken over the whole content at the end.
 */
#include "helpers/memenv/memenv.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/write_batch.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace
{

constexpr unsigned kThreads = 2;
constexpr uint64_t kKeys = 20000;

uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

void require(const leveldb::Status &status)
{
    if (status.ok() || status.IsNotFound())
        return;
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    std::exit(1);
}

std::string key_of(unsigned self, uint64_t number)
{
    char key[32];
    std::snprintf(key, sizeof key, "%u/%08llu", self, static_cast<unsigned long long>(number));
    return key;
}

void work(leveldb::DB *db, unsigned self, uint64_t operations)
{
    std::string value;
    for (uint64_t i = 0; i < operations; i++) {
        uint64_t random = mix(uint64_t{self} << 40 | i);
        std::string key = key_of(self, random % kKeys);
        if (random >> 60 < 8) {
            require(db->Get(leveldb::ReadOptions(), key, &value));
            continue;
        }
        leveldb::WriteBatch batch;
        batch.Put(key,
                  std::string(40 + (random >> 32) % 160, static_cast<char>('a' + random % 26)));
        batch.Put(key_of(self, (random >> 16) % kKeys), std::to_string(i));
        batch.Delete(key_of(self, (random >> 24) % kKeys));
        require(db->Write(leveldb::WriteOptions(), &batch));
    }
}

uint64_t digest(leveldb::DB *db)
{
    std::unique_ptr<leveldb::Iterator> cursor(db->NewIterator(leveldb::ReadOptions()));
    uint64_t sum = 0;
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
        for (char letter : cursor->key().ToString() + cursor->value().ToString())
            sum = (sum ^ static_cast<unsigned char>(letter)) * UINT64_C(1099511628211);
    }
    require(cursor->status());
    return sum;
}

} // namespace

int main(int argc, char **argv)
{
    long percent = argc > 1 ? std::atol(argv[1]) : 100;
    uint64_t operations = 120000 * static_cast<uint64_t>(percent > 0 ? percent : 100) / 100;
    std::unique_ptr<leveldb::Env> env(leveldb::NewMemEnv(leveldb::Env::Default()));
    std::unique_ptr<const leveldb::FilterPolicy> filter(leveldb::NewBloomFilterPolicy(10));
    leveldb::Options options;
    leveldb::DB *opened = nullptr;

    options.env = env.get();
    options.filter_policy = filter.get();
    options.create_if_missing = true;
    options.write_buffer_size = 1 << 20;
    options.compression = leveldb::kNoCompression;
    require(leveldb::DB::Open(options, "/db", &opened));
    std::unique_ptr<leveldb::DB> db(opened);

    std::vector<std::thread> threads;
    for (unsigned self = 0; self < kThreads; self++)
        threads.emplace_back(work, db.get(), self, operations);
    for (std::thread &thread : threads)
        thread.join();
    std::printf("%016llx\n", static_cast<unsigned long long>(digest(db.get())));
    return 0;
}
