/*
 * claim: many small teams, nested ones, sections, and what is private to threads are never reported
 * tsan: no
 * build: -O0 -fopenmp
 * build: -O2 -fopenmp
 * run: --budget=max x 6
 * run: --budget=max --noise=random:20/20 x 4
 * run: x 6
 * predict: hb x 2
 * env: OMP_NUM_THREADS=3
 * env: OMP_MAX_ACTIVE_LEVELS=2
 * expect: none
 */
#include <omp.h>

enum { TEAMS = 300, CELLS = 12 };

static int cells[CELLS], before[CELLS];
static int own = 1;
#pragma omp threadprivate(own)
static int table[4][4], halves[2], league[4];
static long wrong, last;

/* Each team reads what another thread of the last one has written; the main thread does, between. */
static void many(void)
{
    for (int team = 0; team < TEAMS; team++) {
        cells[team % CELLS]++;
#pragma omp parallel for num_threads(2 + team % 3)
        for (int i = 0; i < CELLS; i++)
            cells[i] = before[CELLS - 1 - i] + 1;
        for (int i = 0; i < CELLS; i++)
            before[i] = cells[i];
    }
}

static void nested(void)
{
#pragma omp parallel num_threads(3)
    {
        int row = omp_get_thread_num();
#pragma omp parallel for num_threads(2)
        for (int i = 0; i < 4; i++)
            table[row][i] = row + i;
        for (int i = 0; i < 4; i++)
            table[row][i]++;
#pragma omp barrier
#pragma omp parallel num_threads(2)
        if (table[(row + 1) % omp_get_num_threads()][2] == 0) {
#pragma omp atomic
            wrong++;
        }
    }
}

static void sections(void)
{
#pragma omp parallel sections lastprivate(last)
    {
#pragma omp section
        halves[0] = 1, last = 0;
#pragma omp section
        halves[1] = halves[1] + 2, last = 3;
    }
    wrong += halves[0] + halves[1] != (int)last;
}

static void private(void)
{
    int told = 0;

    own = 5;
#pragma omp parallel copyin(own) private(told)
    {
        own += omp_get_thread_num();
        told = 0;
#pragma omp single copyprivate(told)
        told = own;
        if (told < 5) {
#pragma omp atomic
            wrong++;
        }
#pragma omp masked
        own = 7;
    }
    wrong += own != 7;
}

static void leagues(void)
{
#pragma omp teams num_teams(2)
    {
        league[omp_get_team_num()] = 1;
#pragma omp parallel
        if (omp_get_thread_num() == 1)
            league[2 + omp_get_team_num()] = league[omp_get_team_num()];
    }
    wrong += league[0] != 1;
}

int main(void)
{
    many();
    for (int i = 0; i < 20; i++) {
        nested();
        sections();
        private();
        halves[1] = 0;
        leagues();
    }
    return wrong != 0;
}
