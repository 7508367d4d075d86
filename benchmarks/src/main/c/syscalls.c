/* System calls as C makes them. */
#define _GNU_SOURCE
#include "yardstick.h"

#include <linux/futex.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EVENTS = 64 };

static int event_fd = -1;
static int epoll_fd = -1;
static uint32_t futex_word;

static void parent(long ops) {
    uint64_t sum = 0;
    int64_t start = nanos();
    for (long i = 0; i < ops; i++) {
        sum += (uint64_t) getppid();
    }
    add_figure((double) (nanos() - start));
    consume(sum);
}

static void eventfd_write_read(long ops) {
    uint64_t one = 1;
    uint64_t counter;
    if (event_fd < 0 && (event_fd = eventfd(0, EFD_NONBLOCK)) < 0) {
        fail("eventfd");
        return;
    }
    int64_t start = nanos();
    for (long i = 0; i < ops; i++) {
        if (write(event_fd, &one, sizeof one) < 0 || read(event_fd, &counter, sizeof counter) < 0) {
            fail("write and read of an eventfd");
            return;
        }
    }
    add_figure((double) (nanos() - start));
    consume(counter);
}

static void eventfd_close(void) {
    close(event_fd);
    event_fd = -1;
}

static void epoll_look(long ops) {
    static struct epoll_event events[EVENTS];
    static const struct timespec no_time;
    uint64_t sum = 0;
    if (epoll_fd < 0 && (epoll_fd = epoll_create1(0)) < 0) {
        fail("epoll_create1");
        return;
    }
    int64_t start = nanos();
    for (long i = 0; i < ops; i++) {
        /* By number: glibc has a function for it only since 2.35. */
        long found = syscall(SYS_epoll_pwait2, epoll_fd, events, EVENTS, &no_time, NULL, 8);
        if (found < 0) {
            fail("epoll_pwait2");
            return;
        }
        sum += (uint64_t) found;
    }
    add_figure((double) (nanos() - start));
    consume(sum);
}

static void epoll_close(void) {
    close(epoll_fd);
    epoll_fd = -1;
}

static void futex_wake(long ops) {
    uint64_t woken = 0;
    int64_t start = nanos();
    for (long i = 0; i < ops; i++) {
        long result = syscall(SYS_futex, &futex_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
        if (result < 0) {
            fail("futex");
            return;
        }
        woken += (uint64_t) result;
    }
    add_figure((double) (nanos() - start));
    consume(woken);
}

static void failing_read(long ops) {
    uint64_t buffer;
    long expected = 0;
    int64_t start = nanos();
    for (long i = 0; i < ops; i++) {
        if (read(-1, &buffer, sizeof buffer) < 0 && errno == EBADF) {
            expected++;
        }
    }
    add_figure((double) (nanos() - start));
    if (expected != ops) {
        fail("a read of no descriptor");
    }
}

int main(int argc, char **argv) {
    static const struct work works[] = {
        {"getppid", parent, NULL},
        {"eventfd", eventfd_write_read, eventfd_close},
        {"epoll", epoll_look, epoll_close},
        {"futex-wake", futex_wake, NULL},
        {"failing-read", failing_read, NULL},
    };
    return serve(argc, argv, works, sizeof works / sizeof works[0]);
}
