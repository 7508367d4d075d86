/*
 * Messages from one process to another over one memfd: a ring of the same layout as a link's, and slots for long ones.
 * The other process is a child; between two rounds it waits in a read. The argument "in-place" leaves out the copies of
 * long messages; "copy-loop" makes them with loads and stores, as compilers and a VM do, and not with memcpy, which takes
 * the processor's own instruction for them: between two cores that can be several times as fast.
 */
#define _GNU_SOURCE
#include "partner.h"

#include <stdatomic.h>
#include <sys/mman.h>

enum {
    HEAD = 768, TAIL = HEAD + 128,
    ENTRIES = HEAD + 512 + 256 * 64, ENTRY = 128, HEADER = 32, CAPACITY = 256, RESERVE = 16,
    LINE = 64, SLOTS = 4,
    SLOT_WORDS = ENTRIES + CAPACITY * ENTRY, SLOT_BYTES = SLOT_WORDS + SLOTS * LINE,
    SMALL = 64, MOST = 64, PAGE = 4096,
    LARGE_WARM_UP = 200, WARM_UP = 200000,
};

enum { FREE, CLAIMED, IN_FLIGHT, HELD };

typedef _Atomic uint64_t word;

struct entry {
    uint16_t type, flags;
    uint32_t channel;
    uint64_t id;
    uint32_t length, slot, generation, zero;
    uint64_t payload[(ENTRY - HEADER) / 8];
};

struct arrival {
    int64_t at;
    uint64_t sum, wrong;
};

static bool in_place;
static bool send_loop;
static bool receive_loop;
static long message_bytes, batch;
static unsigned char *base;
static size_t total;
static uint64_t next_number;          /* of the sender, and in the child the receiver's */
static uint64_t own_head, seen_tail;  /* the sender's */
static uint64_t own_tail, seen_head;  /* the receiver's */
static unsigned char *own_bytes;      /* what is copied from and to */
static uint32_t next_slot;

static void die(const char *what) {
    perror(what);
    exit(1);
}

static inline word *word_at(size_t offset) {
    return (word *) (base + offset);
}

static inline struct entry *entry_at(uint64_t position) {
    return (struct entry *) (base + ENTRIES + (position & (CAPACITY - 1)) * ENTRY);
}

static inline void put_header(struct entry *e, uint64_t id, uint32_t length, uint32_t slot, uint32_t generation) {
    e->type = 1;
    e->flags = 0;
    e->channel = 1;
    e->id = id;
    e->length = length;
    e->slot = slot;
    e->generation = generation;
    e->zero = 0;
}

static void await_room(uint64_t some) {
    while (CAPACITY - RESERVE - (own_head - seen_tail) < some) {
        seen_tail = atomic_load_explicit(word_at(TAIL), memory_order_acquire);
        if (CAPACITY - RESERVE - (own_head - seen_tail) < some) {
            again();
        }
    }
}

static void publish(uint64_t some) {
    own_head += some;
    atomic_store_explicit(word_at(HEAD), own_head, memory_order_release);
}

static void send_small(long ops) {
    for (long done = 0; done < ops;) {
        long some = ops - done < batch ? ops - done : batch;
        await_room((uint64_t) some);
        for (long i = 0; i < some; i++) {
            struct entry *e = entry_at(own_head + (uint64_t) i);
            uint64_t number = next_number++;
            put_header(e, number, SMALL, 0, 0);
            for (uint64_t k = 0; k < SMALL / 8; k++) {
                e->payload[k] = number + k;
            }
        }
        publish((uint64_t) some);
        done += some;
    }
}

/* How many entries are there; the header of each is copied before it is looked at. */
static uint64_t available(uint64_t most) {
    while (seen_head == own_tail) {
        seen_head = atomic_load_explicit(word_at(HEAD), memory_order_acquire);
        if (seen_head == own_tail) {
            again();
        }
    }
    uint64_t count = seen_head - own_tail;
    return count < most ? count : most;
}

static void release(uint64_t count) {
    own_tail += count;
    atomic_store_explicit(word_at(TAIL), own_tail, memory_order_release);
}

static void receive_small(long ops, struct arrival *seen) {
    for (long left = ops; left > 0;) {
        uint64_t count = available((uint64_t) (left < MOST ? left : MOST));
        uint64_t sum = 0;
        uint64_t wrong = 0;
        for (uint64_t i = 0; i < count; i++) {
            const struct entry *e = entry_at(own_tail + i);
            wrong |= (e->id ^ next_number) | (e->length ^ SMALL) | e->slot | e->generation | e->zero;
            next_number++;
            for (uint64_t k = 0; k < SMALL / 8; k++) {
                sum += e->payload[k];
            }
        }
        release(count);
        seen->sum += sum;
        seen->wrong |= wrong;
        left -= (long) count;
    }
}

static inline unsigned char *slot_at(uint32_t slot) {
    return base + SLOT_BYTES + slot * (size_t) message_bytes;
}

/* As a link does it, each change is a compare-and-set: a word that is not as it must be means a faulty peer. */
static void change(uint32_t slot, uint32_t before, uint32_t from, uint32_t after, uint32_t to) {
    uint64_t expected = (uint64_t) before << 32 | from;
    if (!atomic_compare_exchange_strong(word_at(SLOT_WORDS + slot * LINE), &expected, (uint64_t) after << 32 | to)) {
        fputs("shm: the word of a slot is wrong\n", stderr);
        exit(1);
    }
}

static uint32_t claim(uint32_t *generation) {
    for (;; again()) {
        for (uint32_t i = 0; i < SLOTS; i++) {
            uint32_t slot = (next_slot + i) % SLOTS;
            word *at = word_at(SLOT_WORDS + slot * LINE);
            uint64_t found = atomic_load_explicit(at, memory_order_acquire);
            if ((uint32_t) found == FREE) {
                *generation = (uint32_t) (found >> 32);
                change(slot, *generation, FREE, *generation, CLAIMED);
                next_slot = slot + 1;
                return slot;
            }
        }
    }
}

static void stamp(unsigned char *bytes, uint64_t number) {
    for (long k = 0; k < message_bytes / PAGE; k++) {
        *(uint64_t *) (void *) (bytes + k * PAGE) = number + (uint64_t) k;
    }
}

typedef uint64_t pair __attribute__((vector_size(16), aligned(8), may_alias));

static void copy(unsigned char *to, const unsigned char *from, bool by_loop) {
    if (!by_loop) {
        memcpy(to, from, (size_t) message_bytes);
        return;
    }
    for (long i = 0; i < message_bytes; i += 4 * (long) sizeof(pair)) {
        const pair *source = (const pair *) (const void *) (from + i);
        pair *target = (pair *) (void *) (to + i);
        pair first = source[0], second = source[1], third = source[2], fourth = source[3];
        target[0] = first;
        target[1] = second;
        target[2] = third;
        target[3] = fourth;
        /* So that the compiler makes no memcpy of it. */
        __asm__ volatile("" : : : "memory");
    }
}

static void send_large(long ops) {
    for (long i = 0; i < ops; i++) {
        uint32_t generation;
        uint32_t slot = claim(&generation);
        uint64_t number = next_number++;
        if (in_place) {
            stamp(slot_at(slot), number);
        } else {
            stamp(own_bytes, number);
            copy(slot_at(slot), own_bytes, send_loop);
        }
        change(slot, generation, CLAIMED, generation, IN_FLIGHT);
        await_room(1);
        put_header(entry_at(own_head), number, (uint32_t) message_bytes, slot + 1, generation);
        publish(1);
    }
}

static void look(const unsigned char *bytes, struct arrival *seen) {
    seen->wrong |= *(const uint64_t *) (const void *) bytes ^ next_number;
    for (long k = 0; k < message_bytes / PAGE; k++) {
        seen->sum += *(const uint64_t *) (const void *) (bytes + k * PAGE);
    }
    next_number++;
}

static void receive_large(long ops, struct arrival *seen) {
    for (long i = 0; i < ops; i++) {
        available(1);
        const struct entry *e = entry_at(own_tail);
        uint32_t slot = e->slot - 1;
        uint32_t generation = e->generation;
        seen->wrong |= (e->id ^ next_number) | (e->length ^ (uint64_t) message_bytes) | (slot >= SLOTS) | e->zero;
        slot %= SLOTS;
        change(slot, generation, IN_FLIGHT, generation, HELD);
        release(1);
        if (in_place) {
            look(slot_at(slot), seen);
        } else {
            copy(own_bytes, slot_at(slot), receive_loop);
            look(own_bytes, seen);
        }
        change(slot, generation, HELD, generation + 1, FREE);
    }
}

static void serve_rounds(int requests, int answers) {
    long ops;
    while (read(requests, &ops, sizeof ops) == sizeof ops) {
        struct arrival seen = {0, 0, 0};
        if (write(answers, "b", 1) != 1) {
            die("write");
        }
        begin_round();
        if (message_bytes == SMALL) {
            receive_small(ops, &seen);
        } else {
            receive_large(ops, &seen);
        }
        seen.at = nanos();
        if (write(answers, &seen, sizeof seen) != sizeof seen) {
            die("write");
        }
    }
}

static uint64_t sum_of(uint64_t first, uint64_t count) {
    uint64_t stamps = (uint64_t) (message_bytes == SMALL ? SMALL / 8 : message_bytes / PAGE);
    return stamps * (count * first + count * (count - 1) / 2) + count * (stamps * (stamps - 1) / 2);
}

static double one_round(long ops) {
    struct arrival seen;
    char begun;
    uint64_t first = next_number;
    if (write(to_partner, &ops, sizeof ops) != sizeof ops || read(from_partner, &begun, 1) != 1) {
        fail("the receiver");
        return 0;
    }
    begin_round();
    int64_t start = nanos();
    if (message_bytes == SMALL) {
        send_small(ops);
    } else {
        send_large(ops);
    }
    if (read(from_partner, &seen, sizeof seen) != sizeof seen) {
        fail("the receiver");
    } else if (seen.wrong != 0 || seen.sum != sum_of(first, (uint64_t) ops)) {
        snprintf(failure, sizeof failure, "error messages were lost or changed");
    }
    return (double) (seen.at - start);
}

static bool open_memory(void) {
    total = SLOT_BYTES + (message_bytes == SMALL ? 0 : SLOTS * (size_t) message_bytes);
    int fd = memfd_create("shm", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t) total) != 0) {
        fail("memfd");
        return false;
    }
    base = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    own_bytes = calloc(1, (size_t) message_bytes);
    if (base == MAP_FAILED || own_bytes == NULL) {
        fail("memory");
        return false;
    }
    return true;
}

static bool open_both(long bytes, long messages) {
    message_bytes = bytes;
    batch = messages;
    next_number = own_head = seen_tail = own_tail = seen_head = 0;
    next_slot = 0;
    return open_memory() && start_partner(serve_rounds);
}

static void timed(long bytes, long messages, long ops) {
    if (partner == 0) {
        if (!open_both(bytes, messages)) {
            return;
        }
        one_round(bytes == SMALL ? WARM_UP : LARGE_WARM_UP);
    }
    double took = one_round(ops);
    add_figure(took);
}

static void close_both(void) {
    if (partner > 0) {
        end_partner();
        munmap(base, total);
        free(own_bytes);
    }
}

static void one_by_one(long ops) { timed(SMALL, 1, ops); }
static void batch_16(long ops) { timed(SMALL, 16, ops); }
static void batch_64(long ops) { timed(SMALL, 64, ops); }
static void kib_64(long ops) { timed(64 << 10, 1, ops); }
static void mib_1(long ops) { timed(1 << 20, 1, ops); }

int main(int argc, char **argv) {
    static const struct work works[] = {
        {"one-by-one", one_by_one, close_both}, {"batch-16", batch_16, close_both},
        {"batch-64", batch_64, close_both},     {"64-kib", kib_64, close_both},
        {"1-mib", mib_1, close_both},
    };
    in_place = argc > 1 && strcmp(argv[1], "in-place") == 0;
    send_loop = argc > 1 && strcmp(argv[1], "copy-loop") == 0;
    receive_loop = send_loop || (argc > 1 && strcmp(argv[1], "receive-loop") == 0);
    return serve(argc, argv, works, sizeof works / sizeof works[0]);
}
