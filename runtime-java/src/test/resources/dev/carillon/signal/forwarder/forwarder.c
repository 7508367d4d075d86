// Runs the forwarder's machine code outside of a VM, one case at a time: forwarder BYTES CASE direct|chained.
// Chained: a handler of somebody else is installed, which calls ours as an ordinary function.
// Exit code 0: as it should be; else the number of the line that was not.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include "probe.h"

#define EXPECT(fact) do { if (!(fact)) { fprintf(stderr, "line %d: %s\n", __LINE__, #fact); _exit(1); } } while (0)
// An emulator has no room for the highest signals.
#ifndef CARRIER
#define CARRIER 64
#endif
#define COOKIE 0x5eed5eed12345678
#define PASS_VALUE 0x1122334455667788

static char *code;
static volatile int calls;
static siginfo_t seen;
static int way[4];
static int pipe_out;

static int is_chained;

#ifdef __aarch64__
#define MASK_AT UC_SIGMASK_ON_ARM
#else
#define MASK_AT UC_SIGMASK
#endif

// What comes through the pipe: the first bytes of a siginfo_t.
struct record {
    int signo;
    int mark;
    int code;
    int holder;
    int pid;
    int uid;
    long value;
};

static void previous(int signal, siginfo_t *info, void *context) {
    (void) context;
    // As after a call: the frame of a function begins at a multiple of 16.
    EXPECT((long) __builtin_frame_address(0) % 16 == 0);
    calls += signal;
    seen = *info;
}

static void chain(long handler, int signal, siginfo_t *info, void *context) {
    siginfo_t before = *info;
    long changed = probe((void *) handler, signal, info, context);
    if (changed != 0) {
        fprintf(stderr, "registers that were not kept: %lx\n", changed);
    }
    EXPECT(changed == 0);
    EXPECT(memcmp(&before, info, sizeof before) == 0);
}

static void chain_to_entry(int signal, siginfo_t *info, void *context) {
    chain((long) code + ENTRY, signal, info, context);
}

static void chain_to_carrier(int signal, siginfo_t *info, void *context) {
    chain((long) code, signal, info, context);
}

static void install(int signal, int offset) {
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
    action.sa_sigaction = !is_chained ? (void *) (code + offset) : offset == ENTRY ? chain_to_entry : chain_to_carrier;
    sigfillset(&action.sa_mask);
    EXPECT(sigaction(signal, &action, 0) == 0);
}

static void put(int offset, int value) { *(volatile int *) (code + PAGE + offset) = value; }
static void put_long(int offset, long value) { *(volatile long *) (code + PAGE + offset) = value; }
static long get_long(int offset) { return *(volatile long *) (code + PAGE + offset); }

static void route(int signal, int wanted, long handler) {
    put_long(PREVIOUS + 8 * signal, handler);
    put_long(ROUTES + 8 * signal, wanted ? (long) way : 0);
    install(signal, ENTRY);
}

static int load(const char *file) {
    code = mmap(0, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    FILE *bytes = fopen(file, "r");
    EXPECT(bytes && fread(code, 1, PAGE, bytes) > 0);
    EXPECT(mprotect(code, PAGE, PROT_READ | PROT_EXEC) == 0);
    EXPECT(madvise(code + 2 * PAGE, PAGE, MADV_WIPEONFORK) == 0);
    put(OURS, 1);
    put(TGID, getpid());
    put(CARRIER_AT, CARRIER);
    put_long(COOKIE_AT, COOKIE);
    put(VM_SIGNAL, SIGUSR2);
    put_long(PASS, PASS_VALUE);
    put_long(ONE, 1);
    int bell = eventfd(0, EFD_NONBLOCK);
    put(BELL, bell);
    int ends[2];
    EXPECT(pipe2(ends, O_NONBLOCK) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 4096) == 4096);
    pipe_out = ends[0];
    way[PIPE / 4] = ends[1];
    way[TID / 4] = gettid();
    way[SPARE / 4] = -1;
    install(CARRIER, 0);
    EXPECT(raise(CARRIER) == 0);
    return bell;
}

static int carried(struct record *record) {
    return read(pipe_out, record, sizeof *record) == sizeof *record;
}

static void queue_marked(int signal, int mark, long cookie, int code_, long value) {
    siginfo_t info = {.si_signo = signal, .si_errno = mark, .si_code = code_, .si_pid = getpid(), .si_uid = getuid()};
    info.si_value.sival_ptr = (void *) value;
    *(long *) ((char *) &info + MARK) = cookie;
    EXPECT(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), signal, &info) == 0);
}

static void queue(int signal, int code_, long value) { queue_marked(signal, 0, 0, code_, value); }

static int is_blocked(int signal) {
    sigset_t mask;
    sigprocmask(SIG_BLOCK, 0, &mask);
    return sigismember(&mask, signal);
}

static int carrier_is_blocked(void) { return is_blocked(CARRIER); }

static void set_blocked(int signal, int how) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    sigprocmask(how, &set, 0);
}

static void set_carrier(int how) { set_blocked(CARRIER, how); }

static void *suspend_me(void *nothing) {
    EXPECT(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR2) == 0);
    return nothing;
}

static void make_room(void) {
    way[FULL / 4] = 0;
    set_carrier(SIG_UNBLOCK);
}

// How a child ends that sends itself a signal.
static int end_of_child(int signal) {
    pid_t child = fork();
    if (child == 0) {
        raise(signal);
        _exit(77);
    }
    int status;
    EXPECT(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int count, char **arguments) {
    EXPECT(count == 4);
    is_chained = arguments[3][0] == 'c';
    int bell = load(arguments[1]);
    char which = arguments[2][0];
    EXPECT(offsetof(ucontext_t, uc_sigmask) == MASK_AT && sizeof(struct record) == RECORD);
    sigset_t set;
    sigemptyset(&set);
    // A child of a VM may have inherited a blocked SIGQUIT.
    sigprocmask(SIG_SETMASK, &set, 0);
    struct record record;
    struct rlimit nothing = {0, 0};
    int spare[2];
    long handler = (long) previous;
    switch (which) {
        case 'f':  // forwarded with all that was known; errno is left alone
            route(SIGUSR1, 1, handler);
            errno = 4711;
            EXPECT(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1) == 0);
            EXPECT(errno == 4711 && calls == 0);
            EXPECT(carried(&record));
            EXPECT(record.signo == SIGUSR1 && record.mark == SIGUSR1 && record.holder == 0);
            EXPECT(record.code == SI_TKILL && (pid_t) record.pid == getpid());
            EXPECT((uid_t) record.uid == getuid());
            route(40, 1, handler);
            queue(40, SI_QUEUE, 99);
            EXPECT(carried(&record) && record.code == SI_QUEUE && record.value == 99);
            EXPECT(!carrier_is_blocked() && way[FULL / 4] == 0);
            break;
        case 'b':  // beyond the pipe: the kernel keeps what has no room, and lets it in when there is some
            route(40, 1, handler);
            for (long i = 0; i < 300; i++) {
                queue(40, SI_QUEUE, i);
                EXPECT(carrier_is_blocked() == (i >= 128) && way[FULL / 4] == (i >= 128));
            }
            long sum = 0;
            int count_of_carried = 0;
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 128 && carried(&record); i++) {
                    EXPECT(record.mark == 40 && record.holder == 0 && (pid_t) record.pid == getpid());
                    EXPECT(record.signo == (round == 0 ? 40 : CARRIER));
                    EXPECT(record.code == (round == 0 ? SI_QUEUE : SI_QUEUE - 0x10000));
                    sum += record.value;
                    count_of_carried++;
                }
                make_room();
                EXPECT(carrier_is_blocked() == (round == 0) && way[FULL / 4] == (round == 0));
            }
            EXPECT(count_of_carried == 300 && sum == 300 * 299 / 2 && !carried(&record));
            EXPECT(calls == 0 && get_long(REFUSED + 8 * 40) == 0);
            break;
        case 's':  // strays: without the mark, of a signal that nobody wants, on a thread that is not the loop's
            route(SIGUSR1, 1, handler);
            raise(CARRIER);
            queue(CARRIER, SI_QUEUE, 1);
            queue_marked(CARRIER, SIGUSR1, 0, SI_QUEUE, 1);
            queue_marked(CARRIER, SIGUSR1, (int) COOKIE, SI_QUEUE, 1);
            queue_marked(CARRIER, SIGUSR1, COOKIE ^ (1L << 63), SI_QUEUE, 1);
            queue_marked(CARRIER, 0, COOKIE, SI_QUEUE, 1);
            queue_marked(CARRIER, 66, COOKIE, SI_QUEUE, 1);
            queue_marked(CARRIER, -1, COOKIE, SI_QUEUE, 1);
            queue_marked(CARRIER, SIGUSR2, COOKIE, SI_QUEUE, 1);
            EXPECT(!carried(&record));
            way[TID / 4] = 1;
            queue_marked(CARRIER, SIGUSR1, COOKIE, SI_QUEUE, 1);
            EXPECT(!carried(&record) && calls == 0 && !carrier_is_blocked() && way[FULL / 4] == 0);
            way[TID / 4] = gettid();
            queue_marked(CARRIER, SIGUSR1, COOKIE, SI_QUEUE, 1);
            EXPECT(carried(&record) && record.signo == CARRIER && record.value == 1);
            break;
        case 'h':  // held back: a thread that finds no room for a real-time signal blocks it, until it is released
            EXPECT(pipe2(spare, O_NONBLOCK) == 0 && fcntl(spare[1], F_SETPIPE_SZ, 4096) == 4096);
            way[SPARE / 4] = spare[1];
            route(40, 1, handler);
            for (long i = 0; i < 300; i++) {
                queue(40, SI_QUEUE, i);
                EXPECT(is_blocked(40) == (i >= 128) && is_blocked(HELD) == (i >= 128));
            }
            EXPECT(read(spare[0], &record, sizeof record) == sizeof record);
            EXPECT(record.signo == 40 && record.mark == 40 && record.holder == gettid() && record.value == 128);
            EXPECT(read(spare[0], &record, sizeof record) < 0);
            for (long i = 0; i < 128; i++) {
                EXPECT(carried(&record) && record.value == i && record.holder == 0);
            }
            // Without the cookie nobody is released; with it exactly what is named.
            queue_marked(CARRIER, RELEASE, 0, SI_QUEUE - 0x10000, 1L << 39);
            EXPECT(is_blocked(40));
            set_blocked(41, SIG_BLOCK);
            queue_marked(CARRIER, RELEASE, COOKIE, SI_QUEUE - 0x10000, 1L << 39);
            EXPECT(is_blocked(41) && is_blocked(HELD) && is_blocked(40) == 1);
            for (long i = 129; i < 257; i++) {
                EXPECT(carried(&record) && record.value == i);
            }
            EXPECT(read(spare[0], &record, sizeof record) == sizeof record && record.value == 257);
            set_blocked(40, SIG_UNBLOCK);
            for (long i = 258; i < 300; i++) {
                EXPECT(carried(&record) && record.value == i);
            }
            EXPECT(!carried(&record) && !carrier_is_blocked() && get_long(REFUSED + 8 * 40) == 0);
            // No room anywhere: counted, and not blocked, since nobody would know whom to release.
            for (long i = 0; i < 129; i++) {
                queue(40, SI_QUEUE, i);
            }
            set_blocked(40, SIG_UNBLOCK);
            for (long i = 0; i < 127; i++) {
                queue(40, SI_QUEUE, i);
                set_blocked(40, SIG_UNBLOCK);
            }
            queue(40, SI_QUEUE, 4711);
            EXPECT(get_long(REFUSED + 8 * 40) == 1 && !is_blocked(40));
            // Another thread than the loop's can be released afterwards, whatever it blocked before.
            while (read(spare[0], &record, sizeof record) == sizeof record) {}
            set_blocked(CARRIER, SIG_BLOCK);
            queue(40, SI_QUEUE, 4712);
            EXPECT(is_blocked(40) && carrier_is_blocked());
            set_blocked(40, SIG_UNBLOCK);
            way[TID / 4] = 1;
            queue(40, SI_QUEUE, 4713);
            EXPECT(is_blocked(40) && !carrier_is_blocked());
            break;
        case 'v':  // the VM's own suspension is not forwarded, anybody else's USR2 is
            route(SIGUSR2, 1, handler);
            EXPECT(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR2) == 0);
            EXPECT(calls == SIGUSR2 && seen.si_code == SI_TKILL && !carried(&record));
            kill(getpid(), SIGUSR2);
            EXPECT(calls == SIGUSR2 && carried(&record) && record.code == SI_USER);
            // The kernel has no place for its details: to a thread of the VM, not to the first thread, which is none.
            EXPECT(setrlimit(RLIMIT_SIGPENDING, &nothing) == 0);
            EXPECT(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR2) == 0);
            EXPECT(calls == SIGUSR2 && carried(&record) && record.code == 0 && record.pid == 0);
            pthread_t thread;
            EXPECT(pthread_create(&thread, 0, suspend_me, 0) == 0 && pthread_join(thread, 0) == 0);
            EXPECT(calls == 2 * SIGUSR2 && seen.si_code == 0 && seen.si_pid == 0 && !carried(&record));
            route(SIGUSR1, 1, handler);
            EXPECT(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1) == 0);
            EXPECT(calls == 2 * SIGUSR2 && carried(&record) && record.signo == SIGUSR1);
            break;
        case 'p':  // what was queued with our secret goes to the handler before, with another value it does not
            route(SIGQUIT, 1, handler);
            queue(SIGQUIT, SI_QUEUE, PASS_VALUE);
            EXPECT(calls == SIGQUIT && !carried(&record));
            queue(SIGQUIT, SI_QUEUE, PASS_VALUE + 1);
            EXPECT(calls == SIGQUIT && carried(&record) && record.value == PASS_VALUE + 1);
            break;
        case 'n':  // without a loop: the handler before, SIG_IGN, SIG_DFL
            route(SIGUSR1, 0, handler);
            raise(SIGUSR1);
            EXPECT(calls == SIGUSR1 && seen.si_signo == SIGUSR1);
            route(SIGTERM, 0, (long) SIG_IGN);
            raise(SIGTERM);
            route(SIGCHLD, 0, (long) SIG_DFL);
            raise(SIGCHLD);
            struct sigaction now;
            sigaction(SIGCHLD, 0, &now);
            EXPECT(now.sa_sigaction == (is_chained ? chain_to_entry : (void *) (code + ENTRY)));
            route(SIGHUP, 0, (long) SIG_DFL);
            raise(SIGHUP);
            EXPECT(0);
            break;
        case 'c':  // in a child: default, whatever handler was before; ignored stays ignored; nothing reaches the loop
            route(SIGTERM, 1, handler);
            route(SIGINT, 1, (long) SIG_IGN);
            route(SIGWINCH, 1, handler);
            EXPECT(end_of_child(SIGTERM) == -SIGTERM);
            EXPECT(end_of_child(SIGINT) == 77);
            EXPECT(end_of_child(SIGWINCH) == 77);
            if (fork() == 0) {
                queue_marked(CARRIER, SIGTERM, COOKIE, SI_QUEUE, 1);
                _exit(77);
            }
            int end;
            EXPECT(wait(&end) > 0 && WEXITSTATUS(end) == 77);
            EXPECT(calls == 0 && !carried(&record));
            break;
        case 'w':  // in the window of a vfork the child dies alone, and our table of handlers is as it was
            route(SIGINT, 1, handler);
            pid_t child = vfork();
            if (child == 0) {
                syscall(SYS_kill, syscall(SYS_getpid), SIGINT);
                _exit(77);
            }
            int status;
            EXPECT(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
            EXPECT(calls == 0 && !carried(&record));
            raise(SIGINT);
            EXPECT(carried(&record));
            break;
        case 'i':  // in a pid namespace of its own a child has our own number
            if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
                return 78;
            }
            if (fork() == 0) {
                EXPECT(getpid() == 1 && unshare(CLONE_NEWPID) == 0);
                put(TGID, 1);
                put(NESTED, 1);
                // The kernel has cleared it in this child.
                put(OURS, 1);
                way[TID / 4] = gettid();
                route(SIGTERM, 1, handler);
                raise(SIGTERM);
                EXPECT(carried(&record) && record.signo == SIGTERM);
                pid_t forked = fork();
                if (forked == 0) {
                    EXPECT(getpid() == 1);
                    raise(SIGTERM);
                    _exit(77);
                }
                int end_of_forked;
                EXPECT(waitpid(forked, &end_of_forked, 0) == forked && WEXITSTATUS(end_of_forked) == 77);
                EXPECT(calls == 0 && !carried(&record));
                _exit(0);
            }
            int end_of_first;
            EXPECT(wait(&end_of_first) > 0 && end_of_first == 0);
            break;
        case 'j':  // the same where the child shares our memory
            if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
                return 78;
            }
            if (fork() == 0) {
                EXPECT(getpid() == 1 && unshare(CLONE_NEWPID) == 0);
                put(TGID, 1);
                put(NESTED, 1);
                put(OURS, 1);
                way[TID / 4] = gettid();
                route(SIGTERM, 1, handler);
                pid_t vforked = vfork();
                if (vforked == 0) {
                    EXPECT(syscall(SYS_getpid) == 1);
                    syscall(SYS_kill, 1, SIGTERM);
                    _exit(77);
                }
                int end_of_vforked;
                EXPECT(waitpid(vforked, &end_of_vforked, 0) == vforked && WEXITSTATUS(end_of_vforked) == 77);
                EXPECT(calls == 0 && !carried(&record));
                raise(SIGTERM);
                EXPECT(carried(&record) && record.signo == SIGTERM);
                _exit(0);
            }
            int end_of_second;
            EXPECT(wait(&end_of_second) > 0 && end_of_second == 0);
            break;
        case 'r':  // refused by the kernel: counted, and the bell is rung
            route(SIGUSR1, 1, handler);
            for (int i = 0; i < 128; i++) {
                raise(SIGUSR1);
            }
            set_carrier(SIG_BLOCK);
            raise(SIGUSR1);
            EXPECT(get_long(REFUSED + 8 * SIGUSR1) == 0 && way[FULL / 4] == 0);
            EXPECT(setrlimit(RLIMIT_SIGPENDING, &nothing) == 0);
            raise(SIGUSR1);
            EXPECT(get_long(REFUSED + 8 * SIGUSR1) == 1);
            long rung = 0;
            EXPECT(read(bell, &rung, sizeof rung) == sizeof rung && rung == 1);
            // The one that was queued cannot be queued once more.
            set_carrier(SIG_UNBLOCK);
            EXPECT(get_long(REFUSED + 8 * SIGUSR1) == 2 && way[FULL / 4] == 1 && carrier_is_blocked());
            EXPECT(read(bell, &rung, sizeof rung) == sizeof rung && rung == 1);
            for (int i = 0; i < 128; i++) {
                EXPECT(carried(&record));
            }
            EXPECT(!carried(&record));
            // The loop's thread is gone.
            for (int i = 0; i < 128; i++) {
                raise(SIGUSR1);
            }
            way[TID / 4] = 0x7ffffff0;
            raise(SIGUSR1);
            EXPECT(get_long(REFUSED + 8 * SIGUSR1) == 3);
            break;
        default:
            EXPECT(0);
    }
    return 0;
}
