/* A loop that waits for a signal as C can do it: SIGURG blocked in all threads, and read from a signalfd by epoll. */
#define _GNU_SOURCE
#include "yardstick.h"

#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

static pthread_t thread;
static int epoll;
static int signals;
static int is_open;
static volatile int stopping;
static sem_t done;
static int64_t heard;

static void *run_loop(void *unused) {
    struct epoll_event events[64];
    struct signalfd_siginfo info;
    pin(second_core);
    while (!stopping) {
        if (epoll_wait(epoll, events, 64, -1) > 0) {
            while (read(signals, &info, sizeof info) == sizeof info) {
                heard = nanos();
                sem_post(&done);
            }
        }
    }
    return unused;
}

static int open_loop(void) {
    struct epoll_event interest = {.events = EPOLLIN | EPOLLET};
    sigset_t urgent;
    if (is_open) {
        return 1;
    }
    stopping = 0;
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    epoll = epoll_create1(0);
    signals = signalfd(-1, &urgent, SFD_NONBLOCK);
    if (epoll < 0 || signals < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, signals, &interest) != 0
        || pthread_create(&thread, NULL, run_loop, NULL) != 0) {
        fail("a loop");
        return 0;
    }
    return is_open = 1;
}

static void close_loop(void) {
    if (is_open) {
        stopping = 1;
        kill(getpid(), SIGURG);
        pthread_join(thread, NULL);
        close(signals);
        close(epoll);
        is_open = 0;
        while (sem_trywait(&done) == 0) {
        }
    }
}

static void signals_heard(long ops) {
    static const struct timespec settle = {.tv_nsec = 50000};
    if (!open_loop()) {
        return;
    }
    for (long i = 0; i < ops; i++) {
        nanosleep(&settle, NULL);
        int64_t sent = nanos();
        if (kill(getpid(), SIGURG) != 0) {
            fail("kill");
            return;
        }
        sem_wait(&done);
        add_figure((double) (heard - sent));
    }
}

int main(int argc, char **argv) {
    static const struct work works[] = {{"signal", signals_heard, close_loop}};
    sigset_t urgent;
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    pthread_sigmask(SIG_BLOCK, &urgent, NULL); /* before any other thread, which inherits it */
    sem_init(&done, 0, 0);
    return serve(argc, argv, works, sizeof works / sizeof works[0]);
}
