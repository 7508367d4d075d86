/*
 * carillon_guest.h: a guest of a Carillon host, with one thread. It needs carillon_shm.h, carillon_wait.h and
 * carillon_frames.h, and nothing else of ours: copy the four.
 *
 *     struct carillon_guest guest;
 *     struct carillon_frame frame;
 *     if (carillon_attach_from_environment(&guest) == CARILLON_DONE) {
 *         while (carillon_receive(&guest, &frame, -1) == CARILLON_DONE) {
 *             ... read frame.bytes ...
 *         }
 *         carillon_detach(&guest);
 *     }
 *
 * Results other than CARILLON_DONE and CARILLON_TIME_OVER have their reason in guest.problem. Define _GNU_SOURCE before the first
 * include.
 *
 * The host is not trusted: what it writes is copied, checked, and used then, and nothing that this side has written is read
 * back. Only the bytes of a frame stay where they are, and a hostile host can change them at any time.
 *
 * It takes sealed memfds only, so that no access is a SIGBUS. It refuses all channels.
 */
#ifndef CARILLON_GUEST_H
#define CARILLON_GUEST_H

#include "carillon_frames.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define CARILLON_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static inline void carillon_let_go(struct carillon_guest *guest) {
    if (guest->mapped != 0) {
        munmap(guest->memory, guest->mapped);
    }
    close(guest->bell);
    free(guest->in.words);
    free(guest->out.words);
    free(guest->refused);
    guest->mapped = 0;
}

/* Maps and checks; what is wrong is in guest.problem. */
static inline enum carillon_result carillon_map(struct carillon_guest *guest, int memory) {
    struct stat status;
    int seals = fcntl(memory, F_GET_SEALS);
    if (fstat(memory, &status) != 0 || !S_ISREG(status.st_mode) || seals < 0 || (seals & CARILLON_SEALS) != CARILLON_SEALS) {
        return carillon_because(guest, CARILLON_REFUSED,
                "descriptor %d is no memfd that is sealed against every change of its size", memory);
    }
    void *mapped = mmap(NULL, (size_t) status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (mapped == MAP_FAILED) {
        return carillon_because(guest, CARILLON_REFUSED, "mmap failed: %s", strerror(errno));
    }
    guest->memory = mapped;
    guest->mapped = (size_t) status.st_size;
    enum carillon_fault fault = carillon_read_header(mapped, guest->mapped, &guest->header);
    if (fault != CARILLON_SOUND) {
        return carillon_because(guest, CARILLON_REFUSED, "the memory is not that of a link: fault %d", (int) fault);
    }
    return CARILLON_DONE;
}

/* Both counters begin where the tail stands: nobody but this side moves it, or the ring is empty so far. */
static inline int carillon_begin_half(
        struct carillon_guest *guest, struct carillon_half *half, const struct carillon_direction *at) {
    half->at = at;
    half->position = atomic_load_explicit(carillon_u64(guest, at->control + CARILLON_TAIL), memory_order_acquire);
    half->seen = half->position;
    half->words = calloc(at->slots + 1, sizeof(*half->words));
    return half->words != NULL;
}

/* From RESERVED to ATTACHED, with the number of this process. */
static inline enum carillon_result carillon_take_link(struct carillon_guest *guest) {
    uint64_t word = atomic_load_explicit(carillon_u64(guest, CARILLON_LINK_WORD), memory_order_acquire);
    guest->link_word = carillon_link_word(CARILLON_ATTACHED, (uint32_t) getpid(), carillon_link_incarnation(word));
    if (!carillon_link_word_has_meaning(word) || carillon_link_state_of(word) != CARILLON_RESERVED
            || !atomic_compare_exchange_strong(carillon_u64(guest, CARILLON_LINK_WORD), &word, guest->link_word)) {
        return carillon_because(guest, CARILLON_REFUSED, "the link is not reserved for a guest: its word is %016" PRIx64, word);
    }
    return CARILLON_DONE;
}

/* Attaches with two descriptors, the memory and the bell. They are the guest's from now on, and closed where this fails. */
static inline enum carillon_result carillon_attach(struct carillon_guest *guest, int memory, int bell) {
    *guest = (struct carillon_guest) {.bell = bell};
    enum carillon_result result = carillon_map(guest, memory);
    close(memory);
    fcntl(bell, F_SETFD, FD_CLOEXEC);
    if (result == CARILLON_DONE) {
        guest->refused = calloc(guest->header.channels, sizeof(*guest->refused));
        guest->spins = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? CARILLON_SPINS : 0;
        if (guest->refused == NULL || !carillon_begin_half(guest, &guest->in, &guest->header.to_guest)
                || !carillon_begin_half(guest, &guest->out, &guest->header.to_host)) {
            result = carillon_because(guest, CARILLON_REFUSED, "there is no memory");
        }
    }
    if (result == CARILLON_DONE) {
        result = carillon_take_link(guest);
    }
    if (result != CARILLON_DONE) {
        carillon_let_go(guest);
        return result;
    }
    atomic_store(carillon_u32(guest, CARILLON_GUEST_LINE + CARILLON_SIDE_STATE), CARILLON_PRESENT);
    carillon_ring(guest); /* the host can watch this process now */
    return CARILLON_DONE;
}

/* As carillon_attach, with the descriptors that the host has handed to this process, its child. */
static inline enum carillon_result carillon_attach_from_environment(struct carillon_guest *guest) {
    const char *numbers = getenv("CARILLON_LINK");
    int memory;
    int bell;
    char more;
    if (numbers == NULL || sscanf(numbers, "%d,%d%c", &memory, &bell, &more) != 2) {
        *guest = (struct carillon_guest) {.bell = -1};
        return carillon_because(guest, CARILLON_REFUSED, "CARILLON_LINK does not name two descriptors: start this by its host");
    }
    return carillon_attach(guest, memory, bell);
}

/* Says goodbye and lets go of all. What was sent before is still received. */
static inline void carillon_detach(struct carillon_guest *guest) {
    carillon_release(guest);
    if (!guest->faulty) {
        carillon_leave(guest, CARILLON_GOODBYE_GUEST);
    }
    atomic_store(carillon_u32(guest, CARILLON_GUEST_LINE + CARILLON_SIDE_STATE), CARILLON_GONE);
    carillon_let_go(guest);
}

#endif
