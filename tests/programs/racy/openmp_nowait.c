/*
 * claim: a loop without a barrier at its end, whose cells the next loop reads, is reported
 * tsan: no
 * build: -O0 -fopenmp
 * build: -O2 -fopenmp
 * run: x 20
 * run: --budget=max x 20
 * env: OMP_NUM_THREADS=3
 * expect: data-race on cells or cells[] at WRITE and READ
 */
enum { CELLS = 90, ROUNDS = 5 };

static int cells[CELLS], copies[CELLS];

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel
        {
#pragma omp for nowait
            for (int i = 0; i < CELLS; i++)
                cells[i] = i; /* race: WRITE */
#pragma omp for
            for (int i = 0; i < CELLS; i++)
                copies[i] = cells[CELLS - 1 - i]; /* race: READ */
        }
    }
    return copies[0] < 0;
}
