/* Round trips of two threads that sleep in between: over futex words in shared memory, over a socketpair. */
#define _GNU_SOURCE
#include "yardstick.h"

#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

enum { PAGE = 4096, APART = 32, WARM_UP = 20000 };

typedef _Atomic uint32_t word;

struct event {
    word count;
    word sleeping;
};

static word *words;
static uint32_t sent;
static int mine = -1;
static int theirs = -1;
static pthread_t partner;
static atomic_bool stopped;
static uint32_t answered;

static void futex_wait(word *at, uint32_t expected) {
    /* Not private: another process could wait for it, too. */
    syscall(SYS_futex, at, FUTEX_WAIT_BITSET, expected, NULL, NULL, FUTEX_BITSET_MATCH_ANY);
}

static void await_other(word *at, uint32_t than) {
    while (atomic_load_explicit(at, memory_order_acquire) == than) {
        futex_wait(at, than);
    }
}

static void tell(word *at, uint32_t value) {
    atomic_store_explicit(at, value, memory_order_release);
    syscall(SYS_futex, at, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void *start_partner(void *(*answer)(void *)) {
    atomic_store(&stopped, false);
    answered = 0;
    sent = 0;
    if (words == NULL) {
        words = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (words == MAP_FAILED) {
            words = NULL;
            fail("mmap");
            return NULL;
        }
    }
    memset((void *) words, 0, PAGE);
    if (pthread_create(&partner, NULL, answer, NULL) != 0) {
        fail("pthread_create");
        return NULL;
    }
    return words;
}

static void *answer_futex(void *unused) {
    pin(second_core);
    while (!atomic_load(&stopped)) {
        await_other(&words[0], answered);
        answered++;
        tell(&words[APART], answered);
    }
    return unused;
}

static void futex_trips(long ops) {
    for (long i = 0; i < ops; i++) {
        sent++;
        tell(&words[0], sent);
        await_other(&words[APART], sent - 1);
    }
}

static bool started;

static void timed(void *(*answer)(void *), void (*trips)(long), long ops) {
    if (!started) {
        if (start_partner(answer) == NULL) {
            return;
        }
        started = true;
        trips(WARM_UP);
    }
    int64_t start = nanos();
    trips(ops);
    add_figure((double) (nanos() - start));
}

static void futex(long ops) {
    timed(answer_futex, futex_trips, ops);
}

static void futex_close(void) {
    if (started) {
        atomic_store(&stopped, true);
        tell(&words[0], sent + 1);
        pthread_join(partner, NULL);
        started = false;
    }
}

static void await_event(struct event *event, word *at, uint32_t than) {
    while (atomic_load_explicit(at, memory_order_acquire) == than) {
        uint32_t key = atomic_load(&event->count);
        atomic_store(&event->sleeping, 1);
        atomic_thread_fence(memory_order_seq_cst);
        if (atomic_load_explicit(at, memory_order_acquire) == than) {
            futex_wait(&event->count, key);
        }
    }
}

static void signal_event(struct event *event) {
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load(&event->sleeping) != 0 && atomic_exchange(&event->sleeping, 0) != 0) {
        atomic_fetch_add(&event->count, 1);
        syscall(SYS_futex, &event->count, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

static struct event *event_at(int index) {
    return (struct event *) &words[index * APART];
}

static void *answer_event(void *unused) {
    pin(second_core);
    while (!atomic_load(&stopped)) {
        await_event(event_at(0), &words[2 * APART], answered);
        answered++;
        atomic_store_explicit(&words[3 * APART], answered, memory_order_release);
        signal_event(event_at(1));
    }
    return unused;
}

static void event_trips(long ops) {
    for (long i = 0; i < ops; i++) {
        sent++;
        atomic_store_explicit(&words[2 * APART], sent, memory_order_release);
        signal_event(event_at(0));
        await_event(event_at(1), &words[3 * APART], sent - 1);
    }
}

static void event_count(long ops) {
    timed(answer_event, event_trips, ops);
}

static void event_count_close(void) {
    if (started) {
        atomic_store(&stopped, true);
        atomic_store_explicit(&words[2 * APART], sent + 1, memory_order_release);
        signal_event(event_at(0));
        pthread_join(partner, NULL);
        started = false;
    }
}

static void ring(int end) {
    if (send(end, "x", 1, MSG_NOSIGNAL) < 0) {
        fail("send");
    }
}

static void await_ring(int end) {
    char strokes[512];
    struct pollfd bell = {end, POLLIN, 0};
    if (ppoll(&bell, 1, NULL, NULL) < 0 || recv(end, strokes, sizeof strokes, 0) < 0) {
        fail("ppoll and recv");
    }
}

static void *answer_bell(void *unused) {
    pin(second_core);
    while (!atomic_load(&stopped)) {
        await_ring(theirs);
        ring(theirs);
    }
    return unused;
}

static void bell_trips(long ops) {
    for (long i = 0; i < ops; i++) {
        ring(mine);
        await_ring(mine);
    }
}

static void doorbell(long ops) {
    int ends[2];
    if (mine < 0) {
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) {
            fail("socketpair");
            return;
        }
        mine = ends[0];
        theirs = ends[1];
    }
    timed(answer_bell, bell_trips, ops);
}

static void doorbell_close(void) {
    if (started) {
        atomic_store(&stopped, true);
        ring(mine);
        pthread_join(partner, NULL);
        started = false;
        close(mine);
        close(theirs);
        mine = -1;
    }
}

int main(int argc, char **argv) {
    static const struct work works[] = {
        {"futex", futex, futex_close},
        {"event-count", event_count, event_count_close},
        {"doorbell", doorbell, doorbell_close},
    };
    return serve(argc, argv, works, sizeof works / sizeof works[0]);
}
