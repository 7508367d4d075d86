/* How late epoll_pwait2(2) comes back from waiting for time alone, on a thread of its own as a loop has. */
#define _GNU_SOURCE
#include "yardstick.h"

#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

enum { SHORTEST = 500000, STEP = 37000, SPREAD = 1000000, EVENTS = 64 };

static sem_t asked;
static sem_t done;
static pthread_t thread;
static int epoll_fd = -1;
static int stopping;
static int64_t delay_nanos = SHORTEST;
static int64_t late;

static void *run_loop(void *unused) {
    struct epoll_event events[EVENTS];
    pin(first_core);
    for (sem_wait(&asked); !stopping; sem_wait(&asked)) {
        delay_nanos = SHORTEST + (delay_nanos + STEP) % SPREAD;
        int64_t due = nanos() + delay_nanos;
        for (int64_t left = delay_nanos; left > 0; left = due - nanos()) {
            struct timespec time = {.tv_nsec = left};
            if (syscall(SYS_epoll_pwait2, epoll_fd, events, EVENTS, &time, NULL, 8) < 0 && errno != EINTR) {
                perror("epoll_pwait2");
                exit(1);
            }
        }
        late = nanos() - due;
        sem_post(&done);
    }
    return unused;
}

static void lateness(long ops) {
    if (epoll_fd < 0) {
        stopping = 0;
        epoll_fd = epoll_create1(0);
        if (epoll_fd < 0 || pthread_create(&thread, NULL, run_loop, NULL) != 0) {
            fail("a loop");
            return;
        }
    }
    for (long i = 0; i < ops; i++) {
        sem_post(&asked);
        sem_wait(&done);
        add_figure((double) late);
    }
}

static void lateness_close(void) {
    stopping = 1;
    sem_post(&asked);
    pthread_join(thread, NULL);
    close(epoll_fd);
    epoll_fd = -1;
}

int main(int argc, char **argv) {
    static const struct work works[] = {
        {"lateness", lateness, lateness_close},
    };
    sem_init(&asked, 0, 0);
    sem_init(&done, 0, 0);
    return serve(argc, argv, works, sizeof works / sizeof works[0]);
}
