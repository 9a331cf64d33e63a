/*
 * Drives SQLite from two threads.
 *
 * usage: sqlite3 [PERCENT]
 *
 * Each thread has a connection with a database of its own, in memory: rows go in, are changed,
 * joined, sorted and deleted. A third connection, in serialized mode, is used by both: each adds to
 * the counters there. The checksum is taken over what all queries gave.
 */
#include "sqlite3.h"

#include "bench.h"

enum { THREADS = 2, ROUNDS = 90, ROWS = 1000, COUNTERS = 16 };

static sqlite3 *shared;
static size_t rounds;
static uint64_t digests[THREADS];

static void require(sqlite3 *db, int status)
{
    if (status == SQLITE_OK || status == SQLITE_DONE)
        return;
    fprintf(stderr, "%s\n", db != NULL ? sqlite3_errmsg(db) : "out of memory");
    exit(1);
}

static sqlite3 *open_database(const char *schema)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
    sqlite3 *db = NULL;

    require(db, sqlite3_open_v2(":memory:", &db, flags, NULL));
    require(db, sqlite3_exec(db, schema, NULL, NULL, NULL));
    return db;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;

    require(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL));
    return statement;
}

static void run(sqlite3 *db, sqlite3_stmt *statement)
{
    require(db, sqlite3_step(statement));
    require(db, sqlite3_reset(statement));
}

/* All that a query gives, in its order. */
static uint64_t digest(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = prepare(db, sql);
    uint64_t sum = 1;
    int status;

    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const unsigned char *text = sqlite3_column_text(statement, i);
            for (; text != NULL && *text != '\0'; text++)
                sum = (sum ^ *text) * UINT64_C(1099511628211);
        }
    }
    require(db, status);
    require(db, sqlite3_finalize(statement));
    return sum;
}

static void fill(sqlite3 *db, uint64_t *seed)
{
    sqlite3_stmt *insert = prepare(db, "INSERT INTO item(owner, price, name) VALUES(?, ?, ?)");
    sqlite3_stmt *count = prepare(shared, "UPDATE counter SET n = n + 1 WHERE id = ?");

    require(db, sqlite3_exec(db, "BEGIN", NULL, NULL, NULL));
    for (int i = 0; i < ROWS; i++) {
        uint64_t random = bench_random(seed);
        char name[32];
        snprintf(name, sizeof name, "item %llu", (unsigned long long)(random >> 40));
        sqlite3_bind_int64(insert, 1, (sqlite3_int64)(random % 97));
        sqlite3_bind_int64(insert, 2, (sqlite3_int64)(random >> 8 & 0xffff));
        sqlite3_bind_text(insert, 3, name, -1, SQLITE_TRANSIENT);
        run(db, insert);
        /* Two threads have one connection, and a statement each. */
        if (i % 10 == 0) {
            sqlite3_bind_int64(count, 1, (sqlite3_int64)(random % COUNTERS));
            run(shared, count);
        }
    }
    require(db, sqlite3_exec(db, "COMMIT", NULL, NULL, NULL));
    require(db, sqlite3_finalize(insert));
    require(shared, sqlite3_finalize(count));
}

static void *work(void *self)
{
    sqlite3 *db =
        open_database("CREATE TABLE item(id INTEGER PRIMARY KEY, owner INT, price INT, name TEXT);"
                      "CREATE INDEX by_owner ON item(owner); CREATE INDEX by_name ON item(name);");
    uint64_t seed = bench_mix((uint64_t)(uintptr_t)self), sum = 0;

    for (size_t round = 0; round < rounds; round++) {
        fill(db, &seed);
        require(db, sqlite3_exec(db, "UPDATE item SET price = price + 1 WHERE owner % 7 = 3", NULL,
                                 NULL, NULL));
        sum = bench_mix(sum ^
                        digest(db, "SELECT a.owner, count(*), sum(b.price) FROM item a JOIN item b"
                                   " ON a.name = b.name GROUP BY a.owner ORDER BY 3 DESC, 1"));
        sum = bench_mix(sum ^ digest(db, "SELECT name, price FROM item WHERE price % 13 = 5"
                                         " ORDER BY name DESC, price LIMIT 200"));
        require(db,
                sqlite3_exec(
                    db,
                    "DELETE FROM item WHERE id % 3 <> 0 OR id < (SELECT max(id) FROM item) - 3000",
                    NULL, NULL, NULL));
    }
    digests[(uintptr_t)self] = sum;
    require(db, sqlite3_close(db));
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t sum;

    rounds = bench_scaled(argc, argv, ROUNDS);
    /* Else all threads count what they allocate under one lock. */
    require(NULL, sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0));
    shared =
        open_database("CREATE TABLE counter(id INTEGER PRIMARY KEY, n INT);"
                      "WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 15)"
                      " INSERT INTO counter SELECT i, 0 FROM k;");
    bench_threads(THREADS, work);
    sum = digest(shared, "SELECT id, n FROM counter ORDER BY id");
    for (int i = 0; i < THREADS; i++)
        sum = bench_mix(sum ^ digests[i]);
    require(shared, sqlite3_close(shared));
    bench_print(sum);
    return 0;
}
