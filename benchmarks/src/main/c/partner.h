/*
 * A child beside a yardstick, which does the other side of a work and waits in a read between two rounds; and how either
 * side looks again for what has not come.
 */
#ifndef PARTNER_H
#define PARTNER_H

#include "yardstick.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { SPINS = 4096 };

#define PATIENCE INT64_C(30000000000)

static pid_t partner;
static int to_partner = -1;
static int from_partner = -1;
static int64_t deadline;
static long spins;

/* A round begins, which must be over in time. */
static void begin_round(void) {
    deadline = nanos() + PATIENCE;
}

static void again(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    if ((++spins & (SPINS - 1)) == 0) {
        sched_yield();
        if (nanos() > deadline) {
            fputs("the other side did not move\n", stderr);
            exit(1);
        }
    }
}

/* Starts the child, which serves until its requests end. */
static bool start_partner(void (*serve_rounds)(int requests, int answers)) {
    int requests[2];
    int answers[2];
    if (pipe(requests) != 0 || pipe(answers) != 0) {
        fail("pipe");
        return false;
    }
    fflush(stdout);
    partner = fork();
    if (partner == 0) {
        close(requests[1]);
        close(answers[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pin(second_core);
        serve_rounds(requests[0], answers[1]);
        _exit(0);
    }
    close(requests[0]);
    close(answers[1]);
    to_partner = requests[1];
    from_partner = answers[0];
    return partner > 0;
}

static void end_partner(void) {
    close(to_partner);
    close(from_partner);
    waitpid(partner, NULL, 0);
    partner = 0;
}

#endif
