/* A guest that sends back what it gets, until its host leaves, or says goodbye itself after so many frames. */
#define _GNU_SOURCE
#include "carillon_guest.h"

static int mappings(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    int lines = 0;
    for (int c = maps == NULL ? EOF : fgetc(maps); c != EOF; c = fgetc(maps)) {
        lines += c == '\n';
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return lines;
}

int main(int argc, char **argv) {
    uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : UINT64_MAX;
    struct carillon_guest guest;
    struct carillon_frame frame;
    setvbuf(stdout, NULL, _IOLBF, 0);
    free(malloc(1)); /* the heap is there before mappings are counted */
    int before = mappings();
    enum carillon_result result = carillon_attach_from_environment(&guest);
    if (result != CARILLON_DONE) {
        fprintf(stderr, "not attached: %s\n", guest.problem);
        return 2;
    }
    printf("attached as guest %u with mappings %+d\n", guest.header.peer_id, mappings() - before);
    uint64_t count = 0;
    while (count < most && result == CARILLON_DONE) {
        result = carillon_receive(&guest, &frame, -1);
        if (result == CARILLON_DONE) {
            result = carillon_send(&guest, &frame, -1);
            count += result == CARILLON_DONE;
        }
    }
    carillon_detach(&guest);
    if (guest.without_futex) {
        puts("there are no futexes");
    }
    if (result == CARILLON_FAULTY) {
        fprintf(stderr, "%s\n", guest.problem);
        return 3;
    }
    printf("%s after %" PRIu64 " frames, with mappings %+d\n", result == CARILLON_DONE ? "goodbye" : guest.problem, count,
            mappings() - before);
    return result == CARILLON_HOST_DIED ? 4 : 0;
}
