/*
 * carillon_frames.h: how a guest with one thread sends and receives; carillon_guest.h needs it.
 *
 * docs/spec/shm-layout.md explains it. What the host writes is copied, checked, and used then, and nothing that this side has
 * written is read back.
 */
#ifndef CARILLON_FRAMES_H
#define CARILLON_FRAMES_H

#include "carillon_wait.h"

struct carillon_frame {
    uint16_t type;
    uint16_t flags;
    uint32_t length;
    uint64_t id;
    const void *bytes; /* of a frame that was received: until the next one, or carillon_release */
};

static inline int64_t carillon_deadline(int millis) {
    return millis < 0 ? CARILLON_NEVER : carillon_now() + millis * INT64_C(1000000);
}

static inline uint64_t carillon_entry_offset(const struct carillon_half *half) {
    return half->at->entries + (half->position & (half->at->ring_entries - 1)) * half->at->entry_bytes;
}

static inline enum carillon_result carillon_change_slot(
        struct carillon_guest *guest, struct carillon_half *half, uint32_t slot, uint64_t from, uint64_t to) {
    uint64_t word = from;
    uint64_t offset = half->at->slot_words + (uint64_t) slot * CARILLON_SLOT_WORD_STRIDE;
    if (!atomic_compare_exchange_strong(carillon_u64(guest, offset), &word, to)) {
        return CARILLON_FAULT(guest, "the word of slot %" PRIu32 " is %016" PRIx64 " and not %016" PRIx64, slot, word, from);
    }
    half->words[slot] = to;
    return CARILLON_DONE;
}

/* ---- Sending ---- */

static inline void carillon_publish(struct carillon_guest *guest, const struct carillon_entry *entry) {
    struct carillon_half *out = &guest->out;
    memcpy(guest->memory + carillon_entry_offset(out), entry, sizeof(*entry));
    out->position++;
    atomic_store_explicit(carillon_u64(guest, out->at->control + CARILLON_HEAD), out->position, memory_order_release);
    carillon_signal(guest, out->at->control + CARILLON_DATA_EVENT);
}

/*
 * How many entries are free. What the host opens is answered with RESET in them, in all if need be; data leaves some of
 * them alone.
 */
static inline enum carillon_result carillon_free_entries(struct carillon_guest *guest, uint32_t *free) {
    struct carillon_half *out = &guest->out;
    uint64_t tail = atomic_load_explicit(carillon_u64(guest, out->at->control + CARILLON_TAIL), memory_order_acquire);
    /* From what it was to our counter: as an unsigned distance that is one comparison. */
    if (tail - out->seen > out->position - out->seen) {
        return CARILLON_FAULT(guest, "tail=%" PRIu64 " after %" PRIu64 ", head=%" PRIu64, tail, out->seen, out->position);
    }
    out->seen = tail;
    *free = out->at->ring_entries - (uint32_t) (out->position - tail);
    for (; guest->refused_count > 0 && *free > 0; --*free) {
        struct carillon_entry reset = {.type = CARILLON_RESET, .id = guest->refused[guest->refused_first]};
        guest->refused_first = (guest->refused_first + 1) % guest->header.channels;
        guest->refused_count--;
        carillon_publish(guest, &reset);
    }
    return CARILLON_DONE;
}

static inline enum carillon_result carillon_look_for_entry(struct carillon_guest *guest, uint32_t unused) {
    (void) unused;
    uint32_t reserve = guest->out.at->ring_entries / 16;
    reserve = reserve < 1 ? 1 : reserve > 16 ? 16 : reserve;
    uint32_t free = 0;
    enum carillon_result result = carillon_free_entries(guest, &free);
    return result == CARILLON_DONE && free <= reserve ? CARILLON_TIME_OVER : result;
}

/* Whether a slot is free: never sent, or given back by the host. */
static inline enum carillon_result carillon_look_at_slot(struct carillon_guest *guest, uint32_t slot) {
    uint64_t known = guest->out.words[slot];
    uint64_t generation = known >> 32 << 32;
    uint64_t freed = generation + (UINT64_C(1) << 32);
    if (known == (generation | CARILLON_FREE)) {
        return CARILLON_DONE;
    }
    uint64_t offset = guest->out.at->slot_words + (uint64_t) slot * CARILLON_SLOT_WORD_STRIDE;
    uint64_t word = atomic_load_explicit(carillon_u64(guest, offset), memory_order_acquire);
    int isHeld = word == (generation | CARILLON_HELD) && known == (generation | CARILLON_IN_FLIGHT);
    if (word != known && word != freed && !isHeld) {
        return CARILLON_FAULT(guest, "the word of slot %" PRIu32 " is %016" PRIx64 " after %016" PRIx64, slot, word, known);
    }
    guest->out.words[slot] = word;
    return word == freed ? CARILLON_DONE : CARILLON_TIME_OVER;
}

/* A free slot of the smallest class that fits, or of a larger one. */
static inline enum carillon_result carillon_find_slot(struct carillon_guest *guest, uint32_t length, uint32_t *slot) {
    struct carillon_half *out = &guest->out;
    enum carillon_result result = CARILLON_TIME_OVER;
    uint32_t first = 0;
    for (uint32_t c = 0; c < out->at->slot_classes; first += out->at->classes[c++].count) {
        uint32_t count = out->at->classes[c].bytes < length ? 0 : out->at->classes[c].count;
        for (uint32_t i = 0; i < count; i++) {
            *slot = first + (out->cursor[c] + i) % count;
            result = carillon_look_at_slot(guest, *slot);
            if (result != CARILLON_TIME_OVER) {
                out->cursor[c] = *slot - first;
                return result;
            }
        }
    }
    return result;
}

static inline enum carillon_result carillon_look_for_slot(struct carillon_guest *guest, uint32_t length) {
    uint32_t unused;
    return carillon_find_slot(guest, length, &unused);
}

static inline uint32_t carillon_inline_bytes(const struct carillon_direction *at) {
    return at->entry_bytes - CARILLON_ENTRY_HEADER_BYTES;
}

static inline uint32_t carillon_max_length(const struct carillon_direction *at) {
    uint32_t longest = at->slot_classes == 0 ? 0 : at->classes[at->slot_classes - 1].bytes;
    return longest > carillon_inline_bytes(at) ? longest : carillon_inline_bytes(at);
}

/* Sends a frame; waits for room, at most so long; -1 is without end. */
static inline enum carillon_result carillon_send(
        struct carillon_guest *guest, const struct carillon_frame *frame, int millis) {
    struct carillon_half *out = &guest->out;
    int64_t deadline = carillon_deadline(millis);
    if (frame->type >= CARILLON_OPEN) {
        return carillon_because(guest, CARILLON_REFUSED, "the types from 0xff00 up are those of Carillon");
    }
    if (frame->length > carillon_max_length(out->at)) {
        return carillon_because(guest, CARILLON_TOO_LARGE, "a frame has at most %" PRIu32 " bytes", carillon_max_length(out->at));
    }
    enum carillon_result result = carillon_state(guest);
    if (result == CARILLON_DONE) {
        result = carillon_await(guest, out->at->control + CARILLON_SPACE_EVENT, carillon_look_for_entry, 0, deadline);
    }
    if (result == CARILLON_DONE && frame->length <= carillon_inline_bytes(out->at)) {
        struct carillon_entry entry = {
                .type = frame->type, .flags = frame->flags, .id = frame->id, .length = frame->length};
        if (frame->length > 0) {
            memcpy(guest->memory + carillon_entry_offset(out) + sizeof(entry), frame->bytes, frame->length);
        }
        carillon_publish(guest, &entry);
        return CARILLON_DONE;
    }
    if (result == CARILLON_DONE) {
        uint64_t event = out->at->control + CARILLON_SLOT_EVENT;
        result = carillon_await(guest, event, carillon_look_for_slot, frame->length, deadline);
    }
    uint32_t slot = 0;
    if (result == CARILLON_DONE) {
        result = carillon_find_slot(guest, frame->length, &slot);
    }
    uint64_t generation = result == CARILLON_DONE ? out->words[slot] : 0;
    if (result == CARILLON_DONE) {
        result = carillon_change_slot(guest, out, slot, generation, generation | CARILLON_CLAIMED);
    }
    if (result == CARILLON_DONE) {
        uint32_t bytes;
        memcpy(guest->memory + carillon_slot(out->at, slot, &bytes), frame->bytes, frame->length);
        result = carillon_change_slot(
                guest, out, slot, generation | CARILLON_CLAIMED, generation | CARILLON_IN_FLIGHT);
    }
    if (result == CARILLON_DONE) {
        struct carillon_entry entry = {.type = frame->type, .flags = frame->flags, .id = frame->id,
                .length = frame->length, .slot_plus_one = slot + 1, .slot_generation = (uint32_t) (generation >> 32)};
        carillon_publish(guest, &entry);
    }
    return result;
}

/* ---- Receiving ---- */

static inline void carillon_consume(struct carillon_guest *guest) {
    struct carillon_half *in = &guest->in;
    in->position++;
    atomic_store_explicit(carillon_u64(guest, in->at->control + CARILLON_TAIL), in->position, memory_order_release);
    carillon_signal(guest, in->at->control + CARILLON_SPACE_EVENT);
}

/*
 * Of a channel that the host opens, which is refused: in the line of its credit, where the host looks before it sends, and by a
 * frame, which is sent when there is an entry. The host's last frame on it ends it.
 */
static inline enum carillon_result carillon_take_control(struct carillon_guest *guest, const struct carillon_entry *entry) {
    uint32_t index = entry->id & 0xffff;
    int isOfHost = index != 0 && index % 2 == 0 && index < guest->header.channels && entry->id <= UINT32_MAX;
    if ((entry->type != CARILLON_OPEN && entry->type != CARILLON_CLOSE && entry->type != CARILLON_RESET) || !isOfHost
            || entry->flags != 0 || entry->channel != 0 || entry->length != 0 || entry->slot_plus_one != 0
            || (entry->type == CARILLON_OPEN && guest->refused_count == guest->header.channels)) {
        return CARILLON_FAULT(guest, "a control frame of type %04x about %" PRIx64, (unsigned) entry->type, entry->id);
    }
    uint64_t line = guest->in.at->credits + (uint64_t) index * CARILLON_CREDIT_STRIDE;
    uint32_t reset = entry->type == CARILLON_OPEN ? (uint32_t) entry->id : 0;
    atomic_store_explicit(carillon_u32(guest, line + CARILLON_CREDIT_RESET), reset, memory_order_release);
    if (reset != 0) {
        guest->refused[(guest->refused_first + guest->refused_count++) % guest->header.channels] = reset;
        carillon_signal(guest, line + CARILLON_CREDIT_EVENT);
    }
    carillon_consume(guest);
    uint32_t free;
    return carillon_free_entries(guest, &free);
}

static inline enum carillon_result carillon_check_entry(struct carillon_guest *guest, const struct carillon_entry *entry) {
    const struct carillon_direction *at = guest->in.at;
    uint32_t slot = entry->slot_plus_one - 1;
    uint32_t bytes = carillon_inline_bytes(at);
    int isInline = entry->slot_plus_one == 0;
    int isSound = isInline ? entry->slot_generation == 0
                           : slot < at->slots && carillon_slot(at, slot, &bytes) != 0
                    && guest->in.words[slot] == ((uint64_t) entry->slot_generation << 32 | CARILLON_FREE);
    if (!isSound || entry->reserved != 0 || entry->length > bytes || entry->channel != 0) {
        return CARILLON_FAULT(guest, "an entry with channel %" PRIx32 ", length %" PRIu32 ", slot %" PRIu32 ", generation %" PRIu32,
                entry->channel, entry->length, entry->slot_plus_one, entry->slot_generation);
    }
    return CARILLON_DONE;
}

/* Copies the next entry, and checks the copy; control frames before it are taken. */
static inline enum carillon_result carillon_look_for_frame(struct carillon_guest *guest, uint32_t unused) {
    (void) unused;
    struct carillon_half *in = &guest->in;
    enum carillon_result result = CARILLON_DONE;
    while (result == CARILLON_DONE) {
        if (in->seen == in->position) {
            uint64_t head = atomic_load_explicit(carillon_u64(guest, in->at->control + CARILLON_HEAD), memory_order_acquire);
            if (head - in->seen > in->at->ring_entries) {
                return CARILLON_FAULT(guest, "head=%" PRIu64 " after %" PRIu64, head, in->seen);
            }
            in->seen = head;
        }
        if (in->seen == in->position) {
            return CARILLON_TIME_OVER;
        }
        const volatile uint64_t *from = (const volatile void *) (guest->memory + carillon_entry_offset(in));
        uint64_t copy[sizeof(struct carillon_entry) / sizeof(uint64_t)];
        for (size_t i = 0; i < sizeof(copy) / sizeof(copy[0]); i++) {
            copy[i] = from[i];
        }
        memcpy(&guest->next, copy, sizeof(guest->next));
        if (guest->next.type < CARILLON_OPEN) {
            return carillon_check_entry(guest, &guest->next);
        }
        result = carillon_take_control(guest, &guest->next);
    }
    return result;
}

/* Gives the frame that was received back to the host; the next carillon_receive does so too. */
static inline enum carillon_result carillon_release(struct carillon_guest *guest) {
    enum carillon_result result = CARILLON_DONE;
    if (guest->receiving) {
        guest->receiving = 0;
        carillon_consume(guest);
        if (guest->next.slot_plus_one != 0) {
            uint64_t generation = (uint64_t) guest->next.slot_generation << 32;
            uint32_t slot = guest->next.slot_plus_one - 1;
            result = carillon_change_slot(
                    guest, &guest->in, slot, generation | CARILLON_HELD, generation + (UINT64_C(1) << 32));
            carillon_signal(guest, guest->in.at->control + CARILLON_SLOT_EVENT);
        }
    }
    return result;
}

/* The next frame; waits for one, at most so long; -1 is without end. */
static inline enum carillon_result carillon_receive(struct carillon_guest *guest, struct carillon_frame *frame, int millis) {
    struct carillon_half *in = &guest->in;
    int64_t deadline = carillon_deadline(millis);
    enum carillon_result result = guest->faulty ? CARILLON_FAULTY : carillon_release(guest);
    if (result == CARILLON_DONE) {
        result = carillon_await(guest, in->at->control + CARILLON_DATA_EVENT, carillon_look_for_frame, 0, deadline);
    }
    uint64_t offset = carillon_entry_offset(in) + sizeof(guest->next);
    if (result == CARILLON_DONE && guest->next.slot_plus_one != 0) {
        uint64_t generation = (uint64_t) guest->next.slot_generation << 32;
        uint32_t slot = guest->next.slot_plus_one - 1;
        uint32_t bytes;
        offset = carillon_slot(in->at, slot, &bytes);
        result = carillon_change_slot(
                guest, in, slot, generation | CARILLON_IN_FLIGHT, generation | CARILLON_HELD);
    }
    if (result == CARILLON_DONE) {
        guest->receiving = 1;
        *frame = (struct carillon_frame) {.type = guest->next.type, .flags = guest->next.flags,
                .length = guest->next.length, .id = guest->next.id, .bytes = guest->memory + offset};
    }
    return result;
}

#endif
