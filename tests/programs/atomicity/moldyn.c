/*
 * claim: sums of forces in parts of their own, put together behind a barrier, are atomic
 * build: -O1 -fno-inline
 * expect: none
 *
 * In the place of `moldyn` of the Java Grande benchmarks: particles that attract and repel each
 * other. A step has three phases with a barrier behind each: move, find forces, gather them.
 */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 3, MOST_PARTICLES = 64 };
static const double time_step = 0.002;

struct vector3 {
    double x, y, z;
};

struct particle {
    struct vector3 position, speed, force;
};

struct world {
    int count, workers;
    struct particle particles[MOST_PARTICLES];
    /* Each worker adds to its own ones: an action also has a reaction on particles of others. */
    struct vector3 forces[WORKERS][MOST_PARTICLES];
    double potential[WORKERS];
};

struct worker {
    struct world *world;
    int number, steps;
};

static pthread_barrier_t barrier;

static void add(struct vector3 *to, struct vector3 what, double times)
{
    to->x += times * what.x;
    to->y += times * what.y;
    to->z += times * what.z;
}

/* Its own particles are those from here to the same of the next worker. */
static int first_of(const struct world *world, int worker)
{
    return world->count * worker / world->workers;
}

void md_move(struct world *world, int worker)
{
    for (int i = first_of(world, worker); i < first_of(world, worker + 1); i++) {
        struct particle *particle = &world->particles[i];

        add(&particle->speed, particle->force, time_step);
        add(&particle->position, particle->speed, time_step);
    }
}

/* Lennard-Jones, and the potential of the pair. */
static double attract(struct world *world, int worker, int i, int j)
{
    struct vector3 way = world->particles[i].position;
    double square, sixth, strength;

    add(&way, world->particles[j].position, -1);
    square = way.x * way.x + way.y * way.y + way.z * way.z;
    sixth = 1 / (square * square * square);
    strength = 24 * (2 * sixth * sixth - sixth) / square;
    add(&world->forces[worker][i], way, strength);
    add(&world->forces[worker][j], way, -strength);
    return 4 * (sixth * sixth - sixth);
}

/* Every pair belongs to the worker of its first particle. */
void md_force(struct world *world, int worker)
{
    double potential = 0;

    for (int i = 0; i < world->count; i++)
        world->forces[worker][i] = (struct vector3){0, 0, 0};
    for (int i = first_of(world, worker); i < first_of(world, worker + 1); i++)
        for (int j = i + 1; j < world->count; j++)
            potential += attract(world, worker, i, j);
    world->potential[worker] = potential;
}

void md_gather(struct world *world, int worker)
{
    for (int i = first_of(world, worker); i < first_of(world, worker + 1); i++) {
        struct vector3 sum = {0, 0, 0};

        for (int from = 0; from < world->workers; from++)
            add(&sum, world->forces[from][i], 1);
        world->particles[i].force = sum;
    }
}

static void *run_worker(void *arg)
{
    struct worker *worker = arg;

    for (int step = 0; step < worker->steps; step++) {
        md_move(worker->world, worker->number);
        pthread_barrier_wait(&barrier);
        md_force(worker->world, worker->number);
        pthread_barrier_wait(&barrier);
        md_gather(worker->world, worker->number);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

/* On a lattice, with small speeds. */
static struct world *make_world(int count, int workers)
{
    struct world *world = calloc(1, sizeof(*world));
    unsigned seed = 3;

    if (!world)
        abort();
    world->count = count;
    world->workers = workers;
    for (int i = 0; i < count; i++) {
        seed = seed * 1103515245u + 12345u;
        world->particles[i].position =
            (struct vector3){1.2 * (i % 4), 1.2 * (i / 4 % 4), 1.2 * (i / 16)};
        world->particles[i].speed = (struct vector3){(double)(seed >> 16) / 65536 - 0.5, 0.1, -0.1};
    }
    return world;
}

static double energy(const struct world *world)
{
    double sum = 0;

    for (int i = 0; i < world->workers; i++)
        sum += world->potential[i];
    for (int i = 0; i < world->count; i++) {
        struct vector3 speed = world->particles[i].speed;

        sum += (speed.x * speed.x + speed.y * speed.y + speed.z * speed.z) / 2;
    }
    return sum;
}

/* The same world with one worker. */
static double energy_alone(int count, int steps)
{
    struct world *world = make_world(count, 1);
    double sum;

    for (int step = 0; step < steps; step++) {
        md_move(world, 0);
        md_force(world, 0);
        md_gather(world, 0);
    }
    sum = energy(world);
    free(world);
    return sum;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 16, steps = argc > 2 ? atoi(argv[2]) : 5;
    struct worker workers[WORKERS];
    pthread_t threads[WORKERS];
    struct world *world;
    double expected, got;

    if (count < WORKERS || count > MOST_PARTICLES || steps < 1)
        return 2;
    world = make_world(count, WORKERS);
    pthread_barrier_init(&barrier, NULL, WORKERS);
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = (struct worker){world, i, steps};
        pthread_create(&threads[i], NULL, run_worker, &workers[i]);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    expected = energy_alone(count, steps);
    got = energy(world);
    printf("energy %.9f, should be %.9f\n", got, expected);
    free(world);
    /* The forces are added in another order: they are not the same to the last bit. */
    return !(fabs(got - expected) <= 1e-9 * fabs(expected));
}
