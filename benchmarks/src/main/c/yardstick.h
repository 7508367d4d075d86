/*
 * What every yardstick shares: the clock, the cores, and the lines it speaks with the harness.
 *
 *   place FIRST SECOND   placed            cores of the two sides, -1 for any
 *   run WORK OPS         result NUMBER...  or: skip REASON, or: error MESSAGE
 *   close WORK           closed
 *
 * Between two requests it waits in a read and uses no core. It ends when its input does.
 */
#ifndef YARDSTICK_H
#define YARDSTICK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct work {
    const char *name;
    void (*round)(long ops);
    void (*close)(void); /* may be NULL */
};

enum { ANY_CORE = -1 };

static int first_core = ANY_CORE;
static int second_core = ANY_CORE;
static cpu_set_t cores_at_start;

static double *figures;
static size_t figure_count;
static size_t figure_room;
static char failure[256]; /* empty: none; otherwise the whole answer */

static inline int64_t nanos(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* The compiler must assume that the value is used, and that memory has changed. */
static inline void consume(uint64_t value) {
    __asm__ volatile("" : : "r"(value) : "memory");
}

__attribute__((unused)) static void fail(const char *what) {
    snprintf(failure, sizeof failure, "error %s: %s", what, strerror(errno));
}

__attribute__((unused)) static void skip(const char *reason) {
    snprintf(failure, sizeof failure, "skip %s", reason);
}

__attribute__((unused)) static void expect_figures(size_t count) {
    if (count > figure_room) {
        double *more = realloc(figures, count * sizeof *figures);
        if (more == NULL) {
            perror("realloc");
            exit(1);
        }
        figures = more;
        figure_room = count;
    }
}

static void add_figure(double number) {
    if (figure_count == figure_room) {
        expect_figures(figure_room == 0 ? 16 : figure_room * 2);
    }
    figures[figure_count++] = number;
}

static void pin(int core) {
    cpu_set_t one;
    CPU_ZERO(&one);
    if (core != ANY_CORE) {
        CPU_SET(core, &one);
    }
    if (sched_setaffinity(0, sizeof one, core == ANY_CORE ? &cores_at_start : &one) != 0) {
        fail("sched_setaffinity");
    }
}

static void answer(const char *line) {
    puts(failure[0] != '\0' ? failure : line);
}

static void run(const struct work *works, size_t count, const char *name, long ops) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(works[i].name, name) == 0) {
            figure_count = 0;
            works[i].round(ops);
            if (failure[0] != '\0') {
                puts(failure);
                return;
            }
            printf("result");
            for (size_t k = 0; k < figure_count; k++) {
                printf(" %.17g", figures[k]);
            }
            putchar('\n');
            return;
        }
    }
    printf("error work=%s is unknown here\n", name);
}

static void close_work(const struct work *works, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(works[i].name, name) == 0 && works[i].close != NULL) {
            works[i].close();
        }
    }
    answer("closed");
}

static void *sleep_forever(void *unused) {
    for (;;) {
        pause();
    }
    return unused;
}

/*
 * In a process of one thread the kernel does not count references to an open file: 15 to 25 ns less for every call
 * on a descriptor. A VM never has one thread only, nor has a C program that could take its place, so a yardstick has
 * a second one, asleep. The argument "one-thread" leaves it out.
 */
static void start_second_thread(int argc, char **argv) {
    pthread_t thread;
    if (argc > 1 && strcmp(argv[1], "one-thread") == 0) {
        return;
    }
    if (pthread_create(&thread, NULL, sleep_forever, NULL) != 0) {
        fputs("no second thread could be started\n", stderr);
        exit(1);
    }
}

static int serve(int argc, char **argv, const struct work *works, size_t count) {
    char line[256];
    char name[128];
    long ops;
    if (sched_getaffinity(0, sizeof cores_at_start, &cores_at_start) != 0) {
        perror("sched_getaffinity");
        return 1;
    }
    start_second_thread(argc, argv);
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        failure[0] = '\0';
        if (sscanf(line, "place %d %d", &first_core, &second_core) == 2) {
            pin(first_core);
            answer("placed");
        } else if (sscanf(line, "run %127s %ld", name, &ops) == 2) {
            run(works, count, name, ops);
        } else if (sscanf(line, "close %127s", name) == 1) {
            close_work(works, count, name);
        } else {
            printf("error unknown request %s", line);
        }
        fflush(stdout);
    }
    return 0;
}

#endif
