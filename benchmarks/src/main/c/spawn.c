/* Starts a program that does nothing and waits for its end, one after the other. */
#define _GNU_SOURCE
#include "yardstick.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static void spawn(long ops) {
    char *const arguments[] = {"/bin/true", NULL};
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    int64_t start = nanos();
    for (long i = 0; i < ops; i++) {
        pid_t child;
        int status;
        if (posix_spawnp(&child, arguments[0], &actions, &attributes, arguments, environ) != 0
                || waitpid(child, &status, 0) != child || status != 0) {
            fail("posix_spawnp and waitpid");
            break;
        }
    }
    add_figure((double) (nanos() - start));
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
}

int main(int argc, char **argv) {
    static const struct work works[] = {{"spawn", spawn, NULL}};
    return serve(argc, argv, works, sizeof works / sizeof works[0]);
}
