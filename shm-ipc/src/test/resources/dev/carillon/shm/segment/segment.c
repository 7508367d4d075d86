/*
 * The other side of SegmentInCIT.
 *
 * segment write NUMBERS HEADER    reads a configuration (the numbers of the header in its order, without offsets and sums;
 *                                 for each direction the classes last), lays it out and writes the header
 * segment print HEADER            prints where everything is
 * segment judge HEADERS           for each 512 bytes: the number of the fault
 * segment constants               prints what does not depend on a configuration
 * segment words NUMBERS           for each u64: state, pid, incarnation and whether it has a meaning
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "carillon_shm.h"

static FILE *numbers;

static FILE *opened(const char *name, const char *mode) {
    FILE *file = fopen(name, mode);
    if (file == NULL) {
        perror(name);
        exit(1);
    }
    return file;
}

static uint64_t next(void) {
    uint64_t value;
    if (fscanf(numbers, "%" SCNu64, &value) != 1) {
        fprintf(stderr, "a number is missing\n");
        exit(1);
    }
    return value;
}

static void read_direction(struct carillon_direction *to) {
    to->ring_entries = next();
    to->entry_bytes = next();
    to->window = next();
    to->slot_classes = next();
    for (uint32_t i = 0; i < to->slot_classes; i++) {
        to->classes[i].bytes = next();
        to->classes[i].count = next();
    }
}

static int write_header(const char *name) {
    struct carillon_header header;
    memset(&header, 0, sizeof(header));
    memcpy(header.magic, "CARILLON", sizeof(header.magic));
    header.version = CARILLON_VERSION;
    header.header_bytes = CARILLON_HEADER_BYTES;
    header.endianness = CARILLON_ENDIANNESS;
    header.word_size = CARILLON_WORD_SIZE;
    header.link_id_high = next();
    header.link_id_low = next();
    header.host_pid = next();
    header.peer_id = next();
    header.host_start_time = next();
    header.channels = next();
    header.heartbeat_millis = next();
    read_direction(&header.to_guest);
    read_direction(&header.to_host);
    if (!carillon_lay_out(&header)) {
        fprintf(stderr, "there is no such layout\n");
        return 1;
    }
    header.checksum = carillon_checksum(&header);
    FILE *file = opened(name, "wb");
    int written = fwrite(&header, sizeof(header), 1, file) == 1;
    return fclose(file) == 0 && written ? 0 : 1;
}

static void print_direction(const char *name, const struct carillon_direction *to, uint32_t channels) {
    printf("%s.head %" PRIu64 "\n", name, to->control + CARILLON_HEAD);
    printf("%s.tail %" PRIu64 "\n", name, to->control + CARILLON_TAIL);
    printf("%s.dataEvent %" PRIu64 "\n", name, to->control + CARILLON_DATA_EVENT);
    printf("%s.spaceEvent %" PRIu64 "\n", name, to->control + CARILLON_SPACE_EVENT);
    printf("%s.slotEvent %" PRIu64 "\n", name, to->control + CARILLON_SLOT_EVENT);
    uint64_t credit = to->credits + (uint64_t) (channels - 1) * CARILLON_CREDIT_STRIDE;
    printf("%s.granted %" PRIu64 "\n", name, credit + CARILLON_GRANTED);
    printf("%s.creditEvent %" PRIu64 "\n", name, credit + CARILLON_CREDIT_EVENT);
    printf("%s.entry %" PRIu64 "\n", name, to->entries + (uint64_t) (to->ring_entries - 1) * to->entry_bytes);
    for (uint32_t slot = 0; slot < to->slots; slot++) {
        uint32_t bytes = 0;
        uint64_t offset = carillon_slot(to, slot, &bytes);
        uint64_t word = to->slot_words + (uint64_t) slot * CARILLON_SLOT_WORD_STRIDE;
        printf("%s.slot.%u %" PRIu64 " %" PRIu64 " %u\n", name, slot, word, offset, bytes);
    }
}

static int print(const char *name) {
    struct carillon_header header;
    FILE *file = opened(name, "rb");
    if (fread(&header, sizeof(header), 1, file) != 1) {
        perror(name);
        return 1;
    }
    fclose(file);
    printf("fault %d\n", carillon_check(&header, header.total));
    print_direction("toGuest", &header.to_guest, header.channels);
    print_direction("toHost", &header.to_host, header.channels);
    printf("total %" PRIu64 "\n", header.total);
    return 0;
}

static int judge(const char *name) {
    _Alignas(64) uint8_t memory[CARILLON_FIRST_REGION] = {0};
    struct carillon_header copy;
    FILE *file = opened(name, "rb");
    while (fread(memory, CARILLON_HEADER_BYTES, 1, file) == 1) {
        printf("%d\n", carillon_read_header(memory, CARILLON_MAX_TOTAL, &copy));
    }
    return fclose(file) == 0 ? 0 : 1;
}

static int words(void) {
    uint64_t word;
    while (fscanf(numbers, "%" SCNu64, &word) == 1) {
        printf("%u %u %u %d\n", carillon_link_state_of(word), carillon_link_pid(word), carillon_link_incarnation(word),
                carillon_link_word_has_meaning(word));
    }
    return 0;
}

static int constants(void) {
    printf("linkWord %u\nhostLine %u\nguestLine %u\n", CARILLON_LINK_WORD, CARILLON_HOST_LINE, CARILLON_GUEST_LINE);
    printf("side %u %u\n", CARILLON_SIDE_STATE, CARILLON_SIDE_BEATS);
    printf("states %d %d %d %d\n", CARILLON_ABSENT, CARILLON_PRESENT, CARILLON_LEAVING, CARILLON_GONE);
    printf("crc %x\n", carillon_crc32c(0, "123456789", 9));
    for (uint32_t state = CARILLON_RESERVED; state <= CARILLON_DEAD; state++) {
        printf("%016" PRIx64 "\n", carillon_link_word(state, state == CARILLON_RESERVED ? 0 : 4711, 0xabcdef));
    }
    return 0;
}

int main(int count, char **arguments) {
    if (count == 4 && strcmp(arguments[1], "write") == 0) {
        numbers = opened(arguments[2], "r");
        return write_header(arguments[3]);
    }
    if (count == 2 && strcmp(arguments[1], "constants") == 0) {
        return constants();
    }
    if (count == 3 && strcmp(arguments[1], "print") == 0) {
        return print(arguments[2]);
    }
    if (count == 3 && strcmp(arguments[1], "judge") == 0) {
        return judge(arguments[2]);
    }
    if (count == 3 && strcmp(arguments[1], "words") == 0) {
        numbers = opened(arguments[2], "r");
        return words();
    }
    return 2;
}
