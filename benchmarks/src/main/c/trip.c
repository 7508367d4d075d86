/*
 * Round trips of 64 bytes between two processes over one memfd: a place for one message each way, with a counter. The
 * sides spin, or sleep on event counts as the two sides of a link do. The other process is a child; between two rounds
 * it waits in a read. With the argument "deadline" each sleep has one, as those of a link have: the clock is read, and the
 * kernel sets a timer and takes it back.
 */
#define _GNU_SOURCE
#include "partner.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { STAMPS = 8, WARM_UP = 20000, PATIENCE_SECONDS = 10 };

/* Each line has one writer; two lines lie between writers of different sides. */
struct way {
    _Alignas(128) _Atomic uint64_t sent;
    uint64_t stamps[STAMPS];
    _Alignas(128) _Atomic uint32_t count;
    _Atomic uint32_t sleeping;
};

static struct way *there;
static struct way *back;
static bool sleeps;
static bool has_deadline;
static uint64_t trips;

static void futex_wait(_Atomic uint32_t *at, uint32_t expected) {
    struct timespec until;
    if (has_deadline) {
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += PATIENCE_SECONDS;
    }
    /* Not private: another process wakes it. */
    syscall(SYS_futex, at, FUTEX_WAIT_BITSET, expected, has_deadline ? &until : NULL, NULL, FUTEX_BITSET_MATCH_ANY);
}

static bool has(struct way *way, uint64_t number) {
    return atomic_load_explicit(&way->sent, memory_order_acquire) == number;
}

static void await(struct way *way, uint64_t number) {
    while (!has(way, number)) {
        if (!sleeps) {
            again();
            continue;
        }
        uint32_t key = atomic_load(&way->count);
        atomic_store(&way->sleeping, 1);
        atomic_thread_fence(memory_order_seq_cst);
        if (!has(way, number)) {
            futex_wait(&way->count, key);
        }
    }
}

static void send_trip(struct way *way, uint64_t number) {
    for (uint64_t k = 0; k < STAMPS; k++) {
        way->stamps[k] = number + k;
    }
    atomic_store_explicit(&way->sent, number, memory_order_release);
    if (!sleeps) {
        return;
    }
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load(&way->sleeping) != 0 && atomic_exchange(&way->sleeping, 0) != 0) {
        atomic_fetch_add(&way->count, 1);
        syscall(SYS_futex, &way->count, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

static bool right(const struct way *way, uint64_t number) {
    uint64_t sum = 0;
    for (uint64_t k = 0; k < STAMPS; k++) {
        sum += way->stamps[k];
    }
    return sum == STAMPS * number + STAMPS * (STAMPS - 1) / 2;
}

static void answer_all(int requests, int answers) {
    long ops;
    while (read(requests, &ops, sizeof ops) == sizeof ops) {
        begin_round();
        for (long i = 0; i < ops; i++) {
            trips++;
            await(there, trips);
            /* A wrong answer fails the round on the other side. */
            send_trip(back, right(there, trips) ? trips : 0);
        }
        if (write(answers, "d", 1) != 1) {
            _exit(1);
        }
    }
}

static bool open_both(bool sleeping) {
    sleeps = sleeping;
    trips = 0;
    there = mmap(NULL, 2 * sizeof *there, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (there == MAP_FAILED) {
        fail("mmap");
        return false;
    }
    back = there + 1;
    return start_partner(answer_all);
}

static double one_round(long ops) {
    char done;
    if (write(to_partner, &ops, sizeof ops) != sizeof ops) {
        fail("the partner");
        return 0;
    }
    begin_round();
    int64_t start = nanos();
    for (long i = 0; i < ops; i++) {
        trips++;
        send_trip(there, trips);
        await(back, trips);
    }
    int64_t end = nanos();
    if (!right(back, trips) || read(from_partner, &done, 1) != 1) {
        fail("the partner");
    }
    return (double) (end - start);
}

static void timed(bool sleeping, long ops) {
    if (partner == 0) {
        if (!open_both(sleeping)) {
            return;
        }
        one_round(WARM_UP);
    }
    double took = one_round(ops);
    add_figure(took);
}

static void close_both(void) {
    if (partner > 0) {
        end_partner();
        munmap(there, 2 * sizeof *there);
    }
}

static void spinning(long ops) { timed(false, ops); }
static void asleep(long ops) { timed(true, ops); }

int main(int argc, char **argv) {
    static const struct work works[] = {
        {"spinning", spinning, close_both},
        {"asleep", asleep, close_both},
    };
    has_deadline = argc > 1 && strcmp(argv[1], "deadline") == 0;
    return serve(argc, argv, works, sizeof works / sizeof works[0]);
}
