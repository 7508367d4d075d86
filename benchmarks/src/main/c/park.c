/*
 * A loop as small as C can have it: epoll with an eventfd, edge-triggered and never read, and one place for a task.
 * Every post writes, since every post finds the loop asleep.
 */
#define _GNU_SOURCE
#include "yardstick.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

typedef void (*task)(void);

struct loop {
    pthread_t thread;
    int epoll;
    int event;
    int core;
    _Atomic(task) next;
    int open;
};

static const uint64_t one = 1;
static struct loop here;
static struct loop there;
static sem_t done;
static int64_t arrived;
static long left;
static int stopping;

static void *run_loop(void *argument) {
    struct loop *loop = argument;
    struct epoll_event events[64];
    pin(loop->core);
    while (!stopping) {
        if (epoll_wait(loop->epoll, events, 64, -1) > 0) {
            task due = atomic_exchange(&loop->next, (task) NULL);
            if (due != NULL) {
                due();
            }
        }
    }
    return NULL;
}

static void post(struct loop *loop, task next) {
    atomic_store(&loop->next, next);
    if (write(loop->event, &one, sizeof one) < 0) {
        perror("write to an eventfd");
        exit(1);
    }
}

static int open_loop(struct loop *loop, int core) {
    struct epoll_event interest = {.events = EPOLLIN | EPOLLET};
    if (loop->open) {
        return 1;
    }
    stopping = 0;
    loop->core = core;
    loop->epoll = epoll_create1(0);
    loop->event = eventfd(0, EFD_NONBLOCK);
    if (loop->epoll < 0 || loop->event < 0
        || epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->event, &interest) != 0
        || pthread_create(&loop->thread, NULL, run_loop, loop) != 0) {
        fail("a loop");
        return 0;
    }
    return loop->open = 1;
}

static void nothing(void) {
}

static void close_loop(struct loop *loop) {
    if (loop->open) {
        stopping = 1;
        post(loop, nothing);
        pthread_join(loop->thread, NULL);
        close(loop->event);
        close(loop->epoll);
        loop->open = 0;
    }
}

static void close_loops(void) {
    close_loop(&here);
    close_loop(&there);
}

static void arrive(void) {
    arrived = nanos();
    sem_post(&done);
}

static void wake(long ops) {
    static const struct timespec settle = {.tv_nsec = 50000};
    if (!open_loop(&there, second_core)) {
        return;
    }
    for (long i = 0; i < ops; i++) {
        nanosleep(&settle, NULL);
        int64_t sent = nanos();
        post(&there, arrive);
        sem_wait(&done);
        add_figure((double) (arrived - sent));
    }
}

static void ping(void);

static void pong(void) {
    post(&here, ping);
}

static void ping(void) {
    if (left-- > 0) {
        post(&there, pong);
    } else {
        arrive();
    }
}

static void round_trip(long ops) {
    if (!open_loop(&here, first_core) || !open_loop(&there, second_core)) {
        return;
    }
    left = ops;
    int64_t start = nanos();
    post(&here, ping);
    sem_wait(&done);
    add_figure((double) (arrived - start));
}

int main(int argc, char **argv) {
    static const struct work works[] = {
        {"wake", wake, close_loops},
        {"round-trip", round_trip, close_loops},
    };
    sem_init(&done, 0, 0);
    return serve(argc, argv, works, sizeof works / sizeof works[0]);
}
