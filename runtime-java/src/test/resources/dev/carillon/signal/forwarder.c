// Runs the forwarder's machine code outside of a VM, one case at a time: forwarder BYTES CASE.
// Exit code 0: as it should be; else the number of the line that was not.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPECT(fact) do { if (!(fact)) { fprintf(stderr, "line %d: " #fact "\n", __LINE__); _exit(1); } } while (0)
#define CARRIER 64
#define COOKIE 0x5eed5eed
#define PASS_VALUE 0x1122334455667788

static char *code;
static volatile int calls;
static siginfo_t seen;

static void previous(int signal, siginfo_t *info, void *context) {
    (void) context;
    calls += signal;
    seen = *info;
}

static void put(int offset, int value) { *(volatile int *) (code + 0x1000 + offset) = value; }
static void put_long(int offset, long value) { *(volatile long *) (code + 0x1000 + offset) = value; }
static long get_long(int offset) { return *(volatile long *) (code + 0x1000 + offset); }

static void route(int signal, int tid, long handler) {
    put_long(PREVIOUS + 8 * signal, handler);
    put(LOOPS + 4 * signal, tid);
    struct sigaction action = {.sa_sigaction = (void *) (code + ENTRY), .sa_flags = SA_SIGINFO | SA_RESTART};
    sigfillset(&action.sa_mask);
    EXPECT(sigaction(signal, &action, 0) == 0);
}

static int load(const char *file) {
    code = mmap(0, 0x2000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    FILE *bytes = fopen(file, "r");
    EXPECT(bytes && fread(code, 1, 0x1000, bytes) > 0);
    EXPECT(mprotect(code, 0x1000, PROT_READ | PROT_EXEC) == 0);
    put(TGID, getpid());
    put(CARRIER_AT, CARRIER);
    put(COOKIE_AT, COOKIE);
    put(VM_SIGNAL, SIGUSR2);
    put_long(PASS, PASS_VALUE);
    put_long(ONE, 1);
    int bell = eventfd(0, EFD_NONBLOCK);
    put(BELL, bell);
    struct sigaction carrier = {.sa_handler = (void *) code, .sa_flags = SA_RESTART};
    EXPECT(sigaction(CARRIER, &carrier, 0) == 0);
    EXPECT(raise(CARRIER) == 0);
    return bell;
}

static int carried(struct signalfd_siginfo *record) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, CARRIER);
    int fd = signalfd(-1, &set, SFD_NONBLOCK);
    int result = read(fd, record, sizeof *record) == sizeof *record;
    close(fd);
    return result;
}

static void queue(int signal, int code_, long value) {
    siginfo_t info = {.si_signo = signal, .si_code = code_, .si_pid = getpid(), .si_uid = getuid()};
    info.si_value.sival_ptr = (void *) value;
    EXPECT(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), signal, &info) == 0);
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
    EXPECT(count == 3);
    int bell = load(arguments[1]);
    char which = arguments[2][0];
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, CARRIER);
    // Nothing else: a child of a VM may have inherited a blocked SIGQUIT.
    sigprocmask(SIG_SETMASK, &set, 0);
    struct signalfd_siginfo record;
    long handler = (long) previous;
    switch (which) {
        case 'f':  // forwarded with all that was known; errno is left alone
            route(SIGUSR1, gettid(), handler);
            errno = 4711;
            EXPECT(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1) == 0);
            EXPECT(errno == 4711 && calls == 0);
            EXPECT(carried(&record));
            EXPECT(record.ssi_signo == CARRIER && record.ssi_errno == (SIGUSR1 ^ COOKIE));
            EXPECT(record.ssi_code == SI_TKILL - 0x10000 && (pid_t) record.ssi_pid == getpid());
            EXPECT(record.ssi_uid == getuid());
            route(40, gettid(), handler);
            queue(40, SI_QUEUE, 99);
            EXPECT(carried(&record) && record.ssi_code == SI_QUEUE - 0x10000 && record.ssi_ptr == 99);
            break;
        case 'v':  // the VM's own suspension is not forwarded, anybody else's USR2 is
            route(SIGUSR2, gettid(), handler);
            EXPECT(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR2) == 0);
            EXPECT(calls == SIGUSR2 && seen.si_code == SI_TKILL && !carried(&record));
            kill(getpid(), SIGUSR2);
            EXPECT(calls == SIGUSR2 && carried(&record) && record.ssi_code == SI_USER - 0x10000);
            break;
        case 'p':  // what was queued with our secret goes to the handler before, with another value it does not
            route(SIGQUIT, gettid(), handler);
            queue(SIGQUIT, SI_QUEUE, PASS_VALUE);
            EXPECT(calls == SIGQUIT && !carried(&record));
            queue(SIGQUIT, SI_QUEUE, PASS_VALUE + 1);
            EXPECT(calls == SIGQUIT && carried(&record) && (long) record.ssi_ptr == PASS_VALUE + 1);
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
            EXPECT((char *) now.sa_sigaction == code + ENTRY);
            route(SIGHUP, 0, (long) SIG_DFL);
            raise(SIGHUP);
            EXPECT(0);
            break;
        case 'c':  // in a child: default, whatever handler was before; ignored stays ignored; nothing reaches the loop
            route(SIGTERM, gettid(), handler);
            route(SIGINT, gettid(), (long) SIG_IGN);
            route(SIGWINCH, gettid(), handler);
            EXPECT(end_of_child(SIGTERM) == -SIGTERM);
            EXPECT(end_of_child(SIGINT) == 77);
            EXPECT(end_of_child(SIGWINCH) == 77);
            EXPECT(calls == 0 && !carried(&record));
            break;
        case 'w':  // in the window of a vfork the child dies alone, and our table of handlers is as it was
            route(SIGINT, gettid(), handler);
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
        case 'r':  // refused by the kernel: counted, and the bell is rung
            route(SIGUSR1, gettid(), handler);
            struct rlimit none = {0, 0};
            EXPECT(setrlimit(RLIMIT_SIGPENDING, &none) == 0);
            raise(SIGUSR1);
            EXPECT(!carried(&record) && get_long(REFUSED + 8 * SIGUSR1) == 1);
            long rung = 0;
            EXPECT(read(bell, &rung, sizeof rung) == sizeof rung && rung == 1);
            put(LOOPS + 4 * SIGUSR1, 0x7ffffff0);
            raise(SIGUSR1);
            EXPECT(get_long(REFUSED + 8 * SIGUSR1) == 2);
            break;
        default:
            EXPECT(0);
    }
    return 0;
}
