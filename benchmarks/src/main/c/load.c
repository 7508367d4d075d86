/* The load as a program, for servers in other languages: load ADDRESS ACTIVE IDLE, then requests as any yardstick. */
#define _GNU_SOURCE
#include "load.h"

static const char *where;
static int active;
static int idle;

static void run_load(long ops) {
    if (load.fds != NULL || load_open(where, active, idle)) {
        load_round(ops);
    }
}

int main(int argc, char **argv) {
    static const struct work works[] = {
        {"load", run_load, load_close},
    };
    if (argc != 4) {
        fputs("usage: load tcp:PORT|unix:NAME|file:PATH ACTIVE IDLE\n", stderr);
        return 2;
    }
    where = argv[1];
    active = atoi(argv[2]);
    idle = atoi(argv[3]);
    return serve(argc, argv, works, sizeof works / sizeof works[0]);
}
