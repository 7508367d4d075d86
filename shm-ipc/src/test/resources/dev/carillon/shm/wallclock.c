/*
 * LD_PRELOAD: the wall clock of a process goes seven hours forth and nine back, twenty times a second, as if somebody set it all the
 * time. All other clocks are the kernel's.
 */
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift(void) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    long turn = now.tv_sec * 20 + now.tv_nsec / 50000000;
    return turn % 2 == 0 ? 7 * 3600 : -9 * 3600;
}

int clock_gettime(clockid_t clock, struct timespec *into) {
    int result = (int) syscall(SYS_clock_gettime, clock, into);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        into->tv_sec += shift();
    }
    return result;
}

int gettimeofday(struct timeval *restrict into, void *restrict zone) {
    struct timespec now;
    (void) zone;
    clock_gettime(CLOCK_REALTIME, &now);
    into->tv_sec = now.tv_sec;
    into->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *into) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (into != 0) {
        *into = now.tv_sec;
    }
    return now.tv_sec;
}
