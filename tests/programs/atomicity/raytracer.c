/*
 * claim: a checksum is added to under locks that are not the same: additions get lost
 * build: -O1 -fno-inline
 * expect: bug rt_render on checksum
 * expect: bug rt_sky on checksum
 * expect: nothing else
 * race: checksum
 *
 * In the place of `raytracer` of the Java Grande benchmarks, with its bug: each worker locks its
 * own copy of the scene while it adds to the checksum of all. The picture itself is right: each
 * worker has lines of its own. The exit status is about the picture.
 */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 3, SPHERES = 4 };

struct point {
    double x, y, z;
};

struct sphere {
    struct point middle;
    double radius;
    int brightness;
};

struct scene {
    pthread_mutex_t lock;
    struct sphere spheres[SPHERES];
};

struct worker {
    struct scene *scene; /* its own */
    int number;
};

static int size, *picture; /* lines of `size` pixels */
static long checksum;

static double dot(struct point a, struct point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* How far away the ray from the origin meets the sphere; 0: it does not. */
static double distance(const struct sphere *sphere, struct point ray)
{
    double along = dot(sphere->middle, ray);
    double below =
        along * along - dot(sphere->middle, sphere->middle) + sphere->radius * sphere->radius;

    return below < 0 || along < 0 ? 0 : along - sqrt(below);
}

static struct point ray_to(int line, int column)
{
    struct point ray = {(column + 0.5) / size - 0.5, (line + 0.5) / size - 0.5, 1};
    double length = sqrt(dot(ray, ray));

    return (struct point){ray.x / length, ray.y / length, ray.z / length};
}

/* The brightness of the nearest sphere, and less the further away; 0: there is only sky. */
static int trace(const struct scene *scene, int line, int column)
{
    struct point ray = ray_to(line, column);
    double nearest = 1e9;
    int brightness = 0;

    for (int i = 0; i < SPHERES; i++) {
        double here = distance(&scene->spheres[i], ray);

        if (here > 0 && here < nearest) {
            nearest = here;
            brightness = scene->spheres[i].brightness - (int)(8 * here);
        }
    }
    return brightness;
}

/* The bug: the lock is the worker's own. */
static void add_checksum(struct scene *scene, long sum)
{
    pthread_mutex_lock(&scene->lock);
    checksum += sum;
    pthread_mutex_unlock(&scene->lock);
}

void rt_render(struct worker *worker)
{
    long sum = 0;

    for (int line = worker->number; line < size; line += WORKERS) {
        for (int column = 0; column < size; column++) {
            int pixel = trace(worker->scene, line, column);

            picture[line * size + column] = pixel;
            sum += pixel;
        }
    }
    add_checksum(worker->scene, sum);
}

/* What is still dark becomes sky, brighter towards the top. */
void rt_sky(struct worker *worker)
{
    long sum = 0;

    for (int line = worker->number; line < size; line += WORKERS) {
        for (int column = 0; column < size; column++) {
            if (picture[line * size + column] == 0) {
                picture[line * size + column] = 1 + (size - line) * 50 / size;
                sum += picture[line * size + column];
            }
        }
    }
    add_checksum(worker->scene, sum);
}

static void *run_worker(void *arg)
{
    rt_render(arg);
    rt_sky(arg);
    return NULL;
}

struct scene *scene_create(void)
{
    struct scene *scene = calloc(1, sizeof(*scene));

    if (!scene)
        abort();
    pthread_mutex_init(&scene->lock, NULL);
    for (int i = 0; i < SPHERES; i++)
        scene->spheres[i] = (struct sphere){{i - 1.5, (i % 2) - 0.5, 4 + i}, 0.8, 200 + 10 * i};
    return scene;
}

static bool is_right(const struct scene *scene, long *expected)
{
    bool right = true;

    *expected = 0;
    for (int line = 0; line < size; line++) {
        for (int column = 0; column < size; column++) {
            int pixel = trace(scene, line, column);

            if (pixel == 0)
                pixel = 1 + (size - line) * 50 / size;
            right &= picture[line * size + column] == pixel;
            *expected += pixel;
        }
    }
    return right;
}

int main(int argc, char **argv)
{
    struct worker workers[WORKERS];
    pthread_t threads[WORKERS];
    long expected;
    bool right;

    size = argc > 1 ? atoi(argv[1]) : 30;
    if (size < WORKERS || !(picture = calloc((size_t)(size * size), sizeof(int))))
        return 2;
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = (struct worker){scene_create(), i};
        pthread_create(&threads[i], NULL, run_worker, &workers[i]);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    right = is_right(workers[0].scene, &expected);
    printf("the picture is %s, the checksum %s\n", right ? "right" : "wrong",
           checksum == expected ? "right" : "wrong");
    for (int i = 0; i < WORKERS; i++)
        free(workers[i].scene);
    free(picture);
    return !right;
}
