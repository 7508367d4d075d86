/*
 * carillon_shm.h: the memory that a host of Carillon shares with one guest, layout version 1.
 *
 * docs/spec/shm-layout.md explains it. Numbers are in the byte order of the machine. Everything here is static, needs a
 * C11 compiler and no library of ours.
 */
#ifndef CARILLON_SHM_H
#define CARILLON_SHM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CARILLON_VERSION 1u
#define CARILLON_HEADER_BYTES 512u
#define CARILLON_ENDIANNESS 0x01020304u
#define CARILLON_WORD_SIZE 8u

/* What is changed later, in front of the regions. */
#define CARILLON_LINK_WORD 512u
#define CARILLON_HOST_LINE 576u
#define CARILLON_GUEST_LINE 640u
#define CARILLON_FIRST_REGION 768u

/* Of the line of a side: the u32 of its state, and the u64 that goes up with each heartbeat. */
#define CARILLON_SIDE_STATE 0u
#define CARILLON_SIDE_BEATS 8u

/* Of the control lines of a direction. */
#define CARILLON_HEAD 0u
#define CARILLON_TAIL 128u
#define CARILLON_DATA_EVENT 256u
#define CARILLON_SPACE_EVENT 320u
#define CARILLON_SLOT_EVENT 384u
#define CARILLON_CONTROL_BYTES 512u

/* Of an event count, and what its sleep word says. */
#define CARILLON_EVENT_COUNT 0u
#define CARILLON_EVENT_SLEEP 4u

enum carillon_sleep { CARILLON_NONE, CARILLON_SLEEPING, CARILLON_LISTENING };

/* Of a line of credit. */
#define CARILLON_GRANTED 0u
#define CARILLON_CREDIT_EVENT 8u
#define CARILLON_CREDIT_TAKEN 16u
#define CARILLON_CREDIT_RESET 20u
#define CARILLON_FRAME_COST 32u

/* Control frames: the type of an entry. */
#define CARILLON_OPEN 0xff00u
#define CARILLON_ACCEPT 0xff01u
#define CARILLON_CLOSE 0xff02u
#define CARILLON_RESET 0xff03u

#define CARILLON_LINE 64u
#define CARILLON_ALIGNMENT 128u
#define CARILLON_CREDIT_STRIDE CARILLON_LINE
#define CARILLON_SLOT_WORD_STRIDE CARILLON_LINE
#define CARILLON_ENTRY_HEADER_BYTES 32u

/* Limits. */
#define CARILLON_MIN_RING_ENTRIES 4u
#define CARILLON_MAX_RING_ENTRIES (1u << 20)
#define CARILLON_MAX_ENTRY_BYTES (1u << 16)
#define CARILLON_MAX_WINDOW (UINT64_C(1) << 40)
#define CARILLON_MAX_SLOT_CLASSES 8u
#define CARILLON_MAX_SLOT_BYTES (1u << 30)
#define CARILLON_MAX_SLOT_COUNT (1u << 20)
#define CARILLON_MAX_CHANNELS 65535u
#define CARILLON_MAX_PEER_ID 255u
#define CARILLON_MAX_HEARTBEAT 3600000u
#define CARILLON_MAX_TOTAL UINT64_C(0x7ffff000)
#define CARILLON_MAX_INCARNATION 0xffffffu

struct carillon_slot_class {
    uint32_t bytes;
    uint32_t count;
};

struct carillon_direction {
    uint32_t ring_entries;
    uint32_t entry_bytes;
    uint64_t window;
    uint32_t slot_classes;
    uint32_t slots;
    uint64_t control;
    uint64_t credits;
    uint64_t entries;
    uint64_t slot_words;
    uint64_t slot_area;
    struct carillon_slot_class classes[CARILLON_MAX_SLOT_CLASSES];
    uint8_t reserved[64];
};

struct carillon_header {
    uint8_t magic[8];
    uint32_t version;
    uint32_t header_bytes;
    uint32_t endianness;
    uint32_t word_size;
    uint64_t total;
    uint64_t link_id_high;
    uint64_t link_id_low;
    uint32_t host_pid;
    uint32_t peer_id;
    uint64_t host_start_time;
    uint32_t channels;
    uint32_t heartbeat_millis;
    uint32_t checksum;
    uint8_t reserved[52];
    struct carillon_direction to_guest;
    struct carillon_direction to_host;
};

struct carillon_entry {
    uint16_t type;
    uint16_t flags;
    uint32_t channel;
    uint64_t id;
    uint32_t length;
    uint32_t slot_plus_one; /* 0: the payload is inline, right behind this */
    uint32_t slot_generation;
    uint32_t reserved;
};

_Static_assert(sizeof(struct carillon_direction) == 192, "a direction has 192 bytes");
_Static_assert(offsetof(struct carillon_direction, control) == 24, "no padding");
_Static_assert(offsetof(struct carillon_direction, classes) == 64, "no padding");
_Static_assert(sizeof(struct carillon_header) == CARILLON_HEADER_BYTES, "the header has 512 bytes");
_Static_assert(offsetof(struct carillon_header, to_guest) == 128, "no padding");
_Static_assert(offsetof(struct carillon_header, to_host) == 320, "no padding");
_Static_assert(sizeof(struct carillon_entry) == CARILLON_ENTRY_HEADER_BYTES, "an entry's header has 32 bytes");

/* The state of a side. One that is gone does not touch the memory again: the store of that is its last one. */
enum carillon_side_state { CARILLON_ABSENT, CARILLON_PRESENT, CARILLON_LEAVING, CARILLON_GONE };

/* The word of a slot: generation << 32 | state. */
enum carillon_slot_state { CARILLON_FREE, CARILLON_CLAIMED, CARILLON_IN_FLIGHT, CARILLON_HELD };

/* The link word: pid of the guest << 32 | incarnation << 8 | state. */
enum carillon_link_state {
    CARILLON_RESERVED = 1,
    CARILLON_ATTACHED,
    CARILLON_GOODBYE_HOST,
    CARILLON_GOODBYE_GUEST,
    CARILLON_DEAD
};

enum carillon_fault {
    CARILLON_SOUND,
    CARILLON_TOO_SHORT,
    CARILLON_UNPUBLISHED,
    CARILLON_BAD_MAGIC,
    CARILLON_BAD_ENDIANNESS,
    CARILLON_BAD_VERSION,
    CARILLON_BAD_HEADER_SIZE,
    CARILLON_BAD_WORD_SIZE,
    CARILLON_BAD_CHECKSUM,
    CARILLON_BAD_CONFIGURATION,
    CARILLON_BAD_OFFSETS,
    CARILLON_BAD_TOTAL_SIZE,
    CARILLON_BAD_IDENTITY,
    CARILLON_BAD_RESERVED,
    CARILLON_BAD_LINK_WORD
};

static inline uint32_t carillon_link_state_of(uint64_t word) {
    return word & 0xff;
}

static inline uint32_t carillon_link_incarnation(uint64_t word) {
    return word >> 8 & CARILLON_MAX_INCARNATION;
}

static inline uint32_t carillon_link_pid(uint64_t word) {
    return word >> 32;
}

static inline uint64_t carillon_link_word(uint32_t state, uint32_t pid, uint32_t incarnation) {
    return (uint64_t) pid << 32 | (uint64_t) incarnation << 8 | state;
}

static inline int carillon_link_word_has_meaning(uint64_t word) {
    uint32_t state = carillon_link_state_of(word);
    uint32_t pid = carillon_link_pid(word);
    if (carillon_link_incarnation(word) == 0 || pid > INT32_MAX) {
        return 0;
    }
    switch (state) {
        case CARILLON_RESERVED: return pid == 0;
        case CARILLON_ATTACHED:
        case CARILLON_GOODBYE_GUEST: return pid != 0;
        case CARILLON_GOODBYE_HOST:
        case CARILLON_DEAD: return 1;
        default: return 0;
    }
}

/* CRC-32C, the polynomial of Castagnoli, reflected: what iSCSI uses and what SSE 4.2 has an instruction for. */
static inline uint32_t carillon_crc32c(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *at = bytes;
    crc = ~crc;
    while (count-- > 0) {
        crc ^= *at++;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (0x82f63b78u & -(crc & 1u));
        }
    }
    return ~crc;
}

/* All of the header but the magic, where the field for the sum counts as 0. */
static inline uint32_t carillon_checksum(const struct carillon_header *header) {
    struct carillon_header copy = *header;
    copy.checksum = 0;
    return carillon_crc32c(0, (const uint8_t *) &copy + sizeof(copy.magic), sizeof(copy) - sizeof(copy.magic));
}

static inline uint64_t carillon_aligned(uint64_t bytes) {
    return (bytes + CARILLON_ALIGNMENT - 1) & ~(uint64_t) (CARILLON_ALIGNMENT - 1);
}

/* Whether the numbers of a direction are such as a layout has. */
static inline int carillon_direction_is_sound(const struct carillon_direction *to) {
    if (to->slot_classes > CARILLON_MAX_SLOT_CLASSES) {
        return 0;
    }
    for (uint32_t i = 0; i < to->slot_classes; i++) {
        const struct carillon_slot_class *slots = &to->classes[i];
        if (slots->bytes < CARILLON_LINE || slots->bytes > CARILLON_MAX_SLOT_BYTES || slots->bytes % CARILLON_LINE != 0
                || slots->count < 1 || slots->count > CARILLON_MAX_SLOT_COUNT
                || (i > 0 && slots->bytes <= to->classes[i - 1].bytes)) {
            return 0;
        }
    }
    return to->entry_bytes >= CARILLON_LINE && to->entry_bytes <= CARILLON_MAX_ENTRY_BYTES
            && to->entry_bytes % CARILLON_LINE == 0 && to->ring_entries >= CARILLON_MIN_RING_ENTRIES
            && to->ring_entries <= CARILLON_MAX_RING_ENTRIES && (to->ring_entries & (to->ring_entries - 1)) == 0
            && to->window >= 1 && to->window <= CARILLON_MAX_WINDOW;
}

/*
 * Computes offsets and number of slots of a sound direction that begins at an offset, and returns where it ends. The
 * limits keep all sums below 2^54.
 */
static inline uint64_t carillon_lay_out_direction(struct carillon_direction *to, uint64_t start, uint32_t channels) {
    uint64_t area = 0;
    to->slots = 0;
    for (uint32_t i = 0; i < to->slot_classes; i++) {
        to->slots += to->classes[i].count;
        area += (uint64_t) to->classes[i].count * to->classes[i].bytes;
    }
    to->control = start;
    to->credits = to->control + CARILLON_CONTROL_BYTES;
    to->entries = to->credits + carillon_aligned((uint64_t) channels * CARILLON_CREDIT_STRIDE);
    to->slot_words = to->entries + carillon_aligned((uint64_t) to->ring_entries * to->entry_bytes);
    to->slot_area = to->slot_words + carillon_aligned((uint64_t) to->slots * CARILLON_SLOT_WORD_STRIDE);
    return to->slot_area + carillon_aligned(area);
}

/* Computes the offsets and the total from the configuration; 0 if there is no such layout. */
static inline int carillon_lay_out(struct carillon_header *header) {
    if (header->channels < 1 || header->channels > CARILLON_MAX_CHANNELS
            || header->heartbeat_millis > CARILLON_MAX_HEARTBEAT || !carillon_direction_is_sound(&header->to_guest)
            || !carillon_direction_is_sound(&header->to_host)) {
        return 0;
    }
    uint64_t behind = carillon_lay_out_direction(&header->to_guest, CARILLON_FIRST_REGION, header->channels);
    header->total = carillon_lay_out_direction(&header->to_host, behind, header->channels);
    return header->total <= CARILLON_MAX_TOTAL;
}

static inline int carillon_has_offsets(const struct carillon_direction *found, const struct carillon_direction *computed) {
    return found->control == computed->control && found->credits == computed->credits
            && found->entries == computed->entries && found->slot_words == computed->slot_words
            && found->slot_area == computed->slot_area;
}

static inline int carillon_is_zero(const void *bytes, size_t count) {
    const uint8_t *at = bytes;
    while (count > 0 && *at == 0) {
        at++;
        count--;
    }
    return count == 0;
}

static inline int carillon_rest_is_zero(const struct carillon_direction *to) {
    size_t unused = (CARILLON_MAX_SLOT_CLASSES - to->slot_classes) * sizeof(struct carillon_slot_class);
    return carillon_is_zero(&to->classes[to->slot_classes], unused + sizeof(to->reserved));
}

/* Checks a private copy of the header; the guest uses the copy from then on, and never looks at the original again. */
static inline enum carillon_fault carillon_check(const struct carillon_header *header, uint64_t available) {
    if (carillon_is_zero(header->magic, sizeof(header->magic))) {
        return CARILLON_UNPUBLISHED;
    }
    if (memcmp(header->magic, "CARILLON", sizeof(header->magic)) != 0) {
        return CARILLON_BAD_MAGIC;
    }
    if (header->endianness != CARILLON_ENDIANNESS) {
        return CARILLON_BAD_ENDIANNESS;
    }
    if (header->version != CARILLON_VERSION) {
        return CARILLON_BAD_VERSION;
    }
    if (header->header_bytes != CARILLON_HEADER_BYTES) {
        return CARILLON_BAD_HEADER_SIZE;
    }
    if (header->word_size != CARILLON_WORD_SIZE) {
        return CARILLON_BAD_WORD_SIZE;
    }
    if (header->checksum != carillon_checksum(header)) {
        return CARILLON_BAD_CHECKSUM;
    }
    if ((header->link_id_high | header->link_id_low) == 0 || header->host_pid < 1 || header->host_pid > INT32_MAX
            || header->peer_id < 1 || header->peer_id > CARILLON_MAX_PEER_ID || header->host_start_time > INT64_MAX) {
        return CARILLON_BAD_IDENTITY;
    }
    struct carillon_header computed = *header;
    if (!carillon_lay_out(&computed) || header->to_guest.slots != computed.to_guest.slots
            || header->to_host.slots != computed.to_host.slots) {
        return CARILLON_BAD_CONFIGURATION;
    }
    if (!carillon_has_offsets(&header->to_guest, &computed.to_guest)
            || !carillon_has_offsets(&header->to_host, &computed.to_host)) {
        return CARILLON_BAD_OFFSETS;
    }
    if (header->total != computed.total) {
        return CARILLON_BAD_TOTAL_SIZE;
    }
    if (!carillon_is_zero(header->reserved, sizeof(header->reserved)) || !carillon_rest_is_zero(&header->to_guest)
            || !carillon_rest_is_zero(&header->to_host)) {
        return CARILLON_BAD_RESERVED;
    }
    return available < header->total ? CARILLON_TOO_SHORT : CARILLON_SOUND;
}

/* Copies the header out of shared memory and checks the copy. */
static inline enum carillon_fault carillon_read_header(
        const void *memory, uint64_t available, struct carillon_header *copy) {
    if (available < CARILLON_FIRST_REGION) {
        return CARILLON_TOO_SHORT;
    }
    uint64_t magic = atomic_load_explicit((_Atomic uint64_t *) memory, memory_order_acquire);
    if (magic == 0) {
        return CARILLON_UNPUBLISHED;
    }
    if (memcmp(&magic, "CARILLON", sizeof(magic)) != 0) {
        return CARILLON_BAD_MAGIC;
    }
    const volatile uint8_t *from = memory;
    uint8_t *to = (uint8_t *) copy;
    for (size_t i = 0; i < sizeof(*copy); i++) {
        to[i] = from[i];
    }
    return carillon_check(copy, available);
}

/* The offset of a slot's bytes, by its number from 0; 0 if there is no such slot. Sets how many bytes it has. */
static inline uint64_t carillon_slot(const struct carillon_direction *to, uint32_t slot, uint32_t *bytes) {
    uint64_t offset = to->slot_area;
    for (uint32_t i = 0; i < to->slot_classes; i++) {
        const struct carillon_slot_class *slots = &to->classes[i];
        if (slot < slots->count) {
            *bytes = slots->bytes;
            return offset + (uint64_t) slot * slots->bytes;
        }
        slot -= slots->count;
        offset += (uint64_t) slots->count * slots->bytes;
    }
    return 0;
}

#endif
