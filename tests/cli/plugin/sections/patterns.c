/* The patterns, over everything that can be a variable. */
#include <pthread.h>
#include <stdlib.h>

struct account {
    long id, balance;
    struct account *next;
};

long total;
int table[100];
struct account *head, bank[4];
_Atomic int count;
volatile int flag;
pthread_mutex_t lock;

/* section: load-and-store global total entry=+1:read end=+1:write:read */
void global(void) { total += 1; }

/* section: load-and-store folded total entry=+5:read end=+5:write:read */
/* may at -O0: folded */
void folded(void)
{
    for (int i = 0; i < 100; i++)
        total += 1;
}

/* section: load-and-store field a->balance entry=+1:read end=+1:write:read */
void field(struct account *a, long x) { a->balance += x; }

/* section: load-and-store element table[] entry=+1:read end=+1:write:read */
void element(int i) { table[i] |= 4; }

/* section: load-and-store inner bank[].balance entry=+1:read end=+1:write:read */
void inner(int i) { bank[i].balance *= 3; }

/* section: load-and-store statements a->balance entry=+3:read end=+7:write:read */
void statements(struct account *a, long x)
{
    long old = a->balance;
    long sum = old * 2;
    if (x)
        sum += x;
    a->balance = sum;
}

/* section: load-and-store chosen a->balance entry=+3:read end=+4:write:read */
void chosen(struct account *a, long most)
{
    long old = a->balance;
    a->balance = old > most ? most : old + 1;
}

/* section: load-and-store separate count entry=+3:read end=+4:write:read */
void separate(void)
{
    int old = count;
    count = old + 1;
}

/* section: load-and-store locked total entry=+6:read end=+9:write:read inside=sync,calls */
void locked(void)
{
    long old;

    pthread_mutex_lock(&lock);
    old = total;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    total = old + 1;
    pthread_mutex_unlock(&lock);
}

/* section: load-and-store pop head entry=+1:read end=+1:write:read */
void pop(void) { head = head->next; }

void use(struct account *a);

/* section: test-and-use null_check head entry=+3:read end=+5:read:read leave=+7 inside=sync,calls */
void null_check(void)
{
    if (head) {
        pthread_mutex_lock(&lock);
        use(head);
    }
}

/* section at -O0: test-and-use spend a->balance entry=+5:read end=+6:read:read leave=+9 */
/* section at -O0: load-and-store spend a->balance entry=+5:read end=+5:write:read */
/* section at -O1 -O2: load-and-store spend a->balance entry=+3:read end=+4:write:read leave=_ */
int spend(struct account *a)
{
    if (a->balance > 0) {
        a->balance--;
        return 1;
    }
    return 0;
}

/* section: test-and-use both flag entry=+3:read end=+4:write:read leave=+5 */
void both(int x)
{
    if (x > 2 && (flag & 1))
        flag = 0;
}

/* section: test-and-use either flag entry=+5:read end=+6:write:read leave=+5 */
/* section: test-and-use either flag entry=+4:read end=+5:write:read leave=+6 */
/* section: pair either flag entry=+3:read end=+3:read:read leave=+4 */
void either(void)
{
    if (flag == 1 || flag == 3)
        flag = 0;
}

/* The second test is none of the first one's uses. */
/* section: pair checked_twice head entry=+4:read end=+6:read:read leave=_ inside=sync,calls */
/* section: test-and-use checked_twice head entry=+5:read end=+6:write:read leave=_ inside=calls */
void checked_twice(void)
{
    if (!head) {
        pthread_mutex_lock(&lock);
        if (!head)
            head = malloc(sizeof(*head));
        pthread_mutex_unlock(&lock);
    }
}

/* section: pair written_twice total entry=+3:write end=+5:write:write inside=sync,calls */
void written_twice(void)
{
    total = 1;
    pthread_mutex_lock(&lock);
    total = 2;
}

/* section: pair read_back total entry=+3:write end=+5:read:read inside=sync,calls */
long read_back(void)
{
    total = 1;
    pthread_mutex_lock(&lock);
    return total;
}
