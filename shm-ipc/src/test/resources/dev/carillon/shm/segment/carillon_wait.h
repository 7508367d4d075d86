/*
 * carillon_wait.h: how a guest with one thread waits for its host and wakes it; carillon_frames.h needs it.
 *
 * docs/futex.md explains the protocol. Define _GNU_SOURCE before the first include.
 */
#ifndef CARILLON_WAIT_H
#define CARILLON_WAIT_H

#include "carillon_shm.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CARILLON_NEVER INT64_MAX

/* The longest sleep: nobody but this thread looks whether the host is there. */
#define CARILLON_SLICE INT64_C(20000000)
#define CARILLON_SPINS 2000

enum carillon_result {
    CARILLON_DONE,
    CARILLON_TIME_OVER, /* it was not there in time */
    CARILLON_HOST_LEFT, /* it has said goodbye, and all that it had sent was received */
    CARILLON_HOST_DIED, /* as before, without a goodbye */
    CARILLON_TOO_LARGE, /* no slot takes such a frame */
    CARILLON_REFUSED,   /* there is no link to attach to, or no such frame */
    CARILLON_FAULTY     /* the host has written nonsense; the link is over */
};

/* One direction as this side knows it, in private memory. */
struct carillon_half {
    const struct carillon_direction *at;
    uint64_t position; /* our counter */
    uint64_t seen;     /* the host's, when it was last looked at */
    uint64_t *words;   /* of each slot: as this side has set or seen it */
    uint32_t cursor[CARILLON_MAX_SLOT_CLASSES]; /* where a class is looked at next */
};

struct carillon_guest {
    uint8_t *memory;
    size_t mapped;
    int bell;
    struct carillon_header header;
    struct carillon_half in;
    struct carillon_half out;
    uint64_t link_word;         /* as this side has set it */
    struct carillon_entry next; /* of the frame that is received, once it was checked */
    int receiving;              /* a frame was received and not released */
    uint32_t *refused;          /* channels that are still to be reset: a queue with as many places as there are channels */
    uint32_t refused_first;
    uint32_t refused_count;
    int hung_up; /* nobody has the host's end of the bell any more */
    int faulty;
    int without_futex;
    long spins;
    char problem[192];
};

/* The host has written what no correct host writes. */
#define CARILLON_FAULT(guest, ...) carillon_because(guest, carillon_fails(guest), "faulty host: " __VA_ARGS__)

/* Says why, and gives the result. */
__attribute__((format(printf, 3, 4))) static inline enum carillon_result carillon_because(
        struct carillon_guest *guest, enum carillon_result result, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(guest->problem, sizeof(guest->problem), format, values);
    va_end(values);
    return result;
}

static inline _Atomic uint64_t *carillon_u64(const struct carillon_guest *guest, uint64_t offset) {
    return (_Atomic uint64_t *) (void *) (guest->memory + offset);
}

static inline _Atomic uint32_t *carillon_u32(const struct carillon_guest *guest, uint64_t offset) {
    return (_Atomic uint32_t *) (void *) (guest->memory + offset);
}

static inline int64_t carillon_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* A bell that is full has rung. One that is gone is noticed by the next look. */
static inline void carillon_ring(const struct carillon_guest *guest) {
    while (send(guest->bell, "\1", 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
}

/* Empties the bell, and looks whether somebody has its other end. A host that rings without end holds up nobody. */
static inline void carillon_look_at_bell(struct carillon_guest *guest) {
    char strokes[256];
    for (int i = 0; i < 16 && recv(guest->bell, strokes, sizeof(strokes), MSG_DONTWAIT) > 0; i++) {
    }
    struct pollfd end = {.fd = guest->bell, .events = 0};
    guest->hung_up |= poll(&end, 1, 0) > 0 && (end.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

/* After something was published: wakes the host if it sleeps, by the means that it has chosen. */
static inline void carillon_signal(const struct carillon_guest *guest, uint64_t event) {
    _Atomic uint32_t *count = carillon_u32(guest, event + CARILLON_EVENT_COUNT);
    _Atomic uint32_t *sleep = carillon_u32(guest, event + CARILLON_EVENT_SLEEP);
    atomic_thread_fence(memory_order_seq_cst);
    uint32_t how = atomic_load(sleep);
    if (how == CARILLON_NONE || (how = atomic_exchange(sleep, CARILLON_NONE)) == CARILLON_NONE) {
        return;
    }
    atomic_fetch_add(count, 1);
    int rings = how != CARILLON_SLEEPING;
    if (how != CARILLON_LISTENING && syscall(SYS_futex, count, FUTEX_WAKE, INT_MAX, NULL, NULL, 0) < 0) {
        /* A profile may take the call from this process and not from the host, who hears the bell then. */
        rings = 1;
    }
    if (rings) {
        carillon_ring(guest);
    }
}

/* The link has changed: wakes all of the host that sleeps. */
static inline void carillon_signal_all(const struct carillon_guest *guest) {
    const struct carillon_direction *in = guest->in.at;
    carillon_signal(guest, guest->out.at->control + CARILLON_DATA_EVENT);
    carillon_signal(guest, in->control + CARILLON_SPACE_EVENT);
    carillon_signal(guest, in->control + CARILLON_SLOT_EVENT);
    for (uint64_t i = 0; i < guest->header.channels; i++) {
        carillon_signal(guest, in->credits + i * CARILLON_CREDIT_STRIDE + CARILLON_CREDIT_EVENT);
    }
    carillon_ring(guest);
}

/* This side leaves, or ends the link. A host that has left before, or has destroyed the word, keeps it as it is. */
static inline void carillon_leave(const struct carillon_guest *guest, uint32_t state) {
    uint64_t word = guest->link_word;
    uint64_t next = carillon_link_word(state, carillon_link_pid(word), carillon_link_incarnation(word));
    atomic_compare_exchange_strong(carillon_u64(guest, CARILLON_LINK_WORD), &word, next);
    carillon_signal_all(guest);
}

static inline enum carillon_result carillon_fails(struct carillon_guest *guest) {
    if (!guest->faulty) {
        guest->faulty = 1;
        carillon_leave(guest, CARILLON_DEAD);
    }
    return CARILLON_FAULTY;
}

/* Whether the link goes on; if not, what the host had sent before is there for a look after this. */
static inline enum carillon_result carillon_state(struct carillon_guest *guest) {
    if (guest->faulty) {
        return CARILLON_FAULTY;
    }
    uint64_t word = atomic_load_explicit(carillon_u64(guest, CARILLON_LINK_WORD), memory_order_acquire);
    if (word == guest->link_word) {
        return !guest->hung_up
                ? CARILLON_DONE
                : carillon_because(guest, CARILLON_HOST_DIED, "the host has died: nobody has its end of the bell any more");
    }
    uint32_t state = carillon_link_state_of(word);
    if (word >> 8 == guest->link_word >> 8 && state == CARILLON_GOODBYE_HOST) {
        return carillon_because(guest, CARILLON_HOST_LEFT, "the host has said goodbye");
    }
    if (word >> 8 == guest->link_word >> 8 && state == CARILLON_DEAD) {
        return carillon_because(guest, CARILLON_HOST_LEFT, "the host has ended the link");
    }
    return CARILLON_FAULT(guest, "the link word is %016" PRIx64 " after %016" PRIx64, word, guest->link_word);
}

/* Sleeps while the count is the key, and at most so long. Where there are no futexes it looks, with growing pauses. */
static inline void carillon_sleep(struct carillon_guest *guest, _Atomic uint32_t *count, uint32_t key, int64_t nanos) {
    if (!guest->without_futex) {
        struct timespec most = {.tv_sec = 0, .tv_nsec = (long) nanos};
        if (syscall(SYS_futex, count, FUTEX_WAIT, key, &most, NULL, 0) == 0 || (errno != ENOSYS && errno != EPERM)) {
            return;
        }
        guest->without_futex = 1;
    }
    int64_t end = carillon_now() + nanos;
    for (long pause = 1000; atomic_load(count) == key && carillon_now() < end; pause = pause < 500000 ? 2 * pause : 1000000) {
        nanosleep(&(struct timespec) {.tv_sec = 0, .tv_nsec = pause}, NULL);
    }
}

/* Looks for something: CARILLON_TIME_OVER as long as it is not there. */
typedef enum carillon_result (*carillon_look)(struct carillon_guest *, uint32_t);

/* Looks until it is there, the deadline is over, or the link. Sleeps on an event that the host signals after each change. */
static inline enum carillon_result carillon_await(
        struct carillon_guest *guest, uint64_t event, carillon_look look, uint32_t argument, int64_t deadline) {
    _Atomic uint32_t *count = carillon_u32(guest, event + CARILLON_EVENT_COUNT);
    _Atomic uint32_t *sleep = carillon_u32(guest, event + CARILLON_EVENT_SLEEP);
    enum carillon_result found = look(guest, argument);
    for (long i = 0; i < guest->spins && found == CARILLON_TIME_OVER; i++) {
        found = look(guest, argument);
    }
    while (found == CARILLON_TIME_OVER) {
        uint32_t key = atomic_load(count);
        atomic_store(sleep, CARILLON_SLEEPING);
        atomic_thread_fence(memory_order_seq_cst);
        enum carillon_result state = carillon_state(guest);
        found = look(guest, argument);
        int64_t left = deadline == CARILLON_NEVER ? CARILLON_SLICE : deadline - carillon_now();
        if (found != CARILLON_TIME_OVER || left <= 0) {
            return found;
        }
        if (state != CARILLON_DONE) {
            return state;
        }
        carillon_sleep(guest, count, key, left < CARILLON_SLICE ? left : CARILLON_SLICE);
        carillon_look_at_bell(guest);
        found = look(guest, argument);
    }
    return found;
}

#endif
