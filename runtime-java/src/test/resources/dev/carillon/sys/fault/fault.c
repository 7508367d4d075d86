// Runs the guard's machine code outside of a VM, one case at a time: fault BYTES CASE.
// Exit code 0: as it should be; else a line says what was not.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define EXPECT(fact) do { if (!(fact)) { fprintf(stderr, "line %d: %s\n", __LINE__, #fact); _exit(1); } } while (0)
#define PAGE AT_PAGE
#define THREADS 4

static sigjmp_buf back;
static volatile int calls;
static siginfo_t seen;
static char *code;

static long *word(int offset) { return (long *) (code + PAGE + offset); }
static long *entry(int number) { return word(AT_RANGES + number * AT_ENTRY); }
static long lost(int number) { return *(volatile long *) ((char *) entry(number) + AT_LOST); }

// The handler before, as the VM's: it goes on elsewhere.
static void previous(int signal, siginfo_t *info, void *context) {
    EXPECT(signal == SIGBUS);
    // As after a call: the frame of a function begins at a multiple of 16.
    EXPECT((long) __builtin_frame_address(0) % 16 == 0);
    EXPECT(((ucontext_t *) context)->uc_mcontext.gregs[REG_RIP] != 0);
    calls++;
    seen = *info;
    siglongjmp(back, 1);
}

static char *load(const char *file, void *before) {
    code = mmap(0, PAGE * (2 + AT_TABLE_PAGES), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    FILE *bytes = fopen(file, "r");
    EXPECT(bytes && fread(code, 1, PAGE, bytes) > 0);
    fclose(bytes);
    EXPECT(mprotect(code, PAGE, PROT_READ | PROT_EXEC) == 0);
    *word(AT_PREVIOUS) = (long) before;
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
    action.sa_sigaction = (void *) code;
    sigfillset(&action.sa_mask);
    EXPECT(sigaction(SIGBUS, &action, 0) == 0);
    return code;
}

static void put(int number, void *start, long pages) {
    *entry(number) = (long) start >> AT_PAGE_SHIFT << AT_COUNT_BITS | pages;
    if (*word(AT_END) < (number + 1) * AT_ENTRY) {
        *word(AT_END) = (number + 1) * AT_ENTRY;
    }
}

// Pages of a file that has lost them.
static char *lost_pages(int pages) {
    int fd = memfd_create("lost", 0);
    EXPECT(fd >= 0 && ftruncate(fd, pages * PAGE) == 0);
    char *start = mmap(0, pages * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    EXPECT(start != MAP_FAILED);
    memset(start, 7, pages * PAGE);
    EXPECT(ftruncate(fd, 0) == 0);
    close(fd);
    return start;
}

// Whether a piece of code ended in the handler before.
#define FAULTS(what) ({ int before_ = calls; if (sigsetjmp(back, 1) == 0) { what; } calls != before_; })

static void atomics(void) {
    char *p = lost_pages(16);
    put(0, p, 16);
    long l;
    int i;
#define KEPT(page, assembly, ...) \
    EXPECT(!FAULTS(__asm__ volatile(assembly : __VA_ARGS__ : "memory", "cc"))); \
    EXPECT(lost(0) == 1); \
    *(long *) ((char *) entry(0) + AT_LOST) = 0
    l = 5;
    KEPT(0, "lock xaddq %0, (%1)", "+r"(l) : "r"(p));
    EXPECT(l == 0 && *(long *) p == 5);
    i = 6;
    KEPT(1, "lock xaddl %0, (%1)", "+r"(i) : "r"(p + PAGE + 8));
    EXPECT(i == 0 && *(int *) (p + PAGE + 8) == 6);
    l = 0;
    KEPT(2, "lock cmpxchgq %2, (%1)", "+a"(l) : "r"(p + 2 * PAGE), "r"(9L));
    EXPECT(l == 0 && *(long *) (p + 2 * PAGE) == 9);
    i = 0;
    KEPT(3, "lock cmpxchgl %2, (%1)", "+a"(i) : "r"(p + 3 * PAGE + 4), "r"(9));
    EXPECT(*(int *) (p + 3 * PAGE + 4) == 9);
    l = 3;
    KEPT(4, "xchgq %0, (%1)", "+r"(l) : "r"(p + 4 * PAGE));
    EXPECT(l == 0 && *(long *) (p + 4 * PAGE) == 3);
    i = 3;
    KEPT(5, "xchgl %0, (%1)", "+a"(i) : "b"(p + 5 * PAGE));
    EXPECT(i == 0 && *(int *) (p + 5 * PAGE) == 3);
    register long high __asm__("r12") = 4;
    KEPT(6, "lock xaddq %0, (%1)", "+r"(high) : "r"(p + 6 * PAGE));
    EXPECT(*(long *) (p + 6 * PAGE) == 4);
    register int high_int __asm__("r13") = 4;
    KEPT(7, "xchgl %0, (%1)", "+r"(high_int) : "r"(p + 7 * PAGE));
    EXPECT(*(int *) (p + 7 * PAGE) == 4);
    KEPT(8, "lock addl $1, (%1)", "+r"(i) : "r"(p + 8 * PAGE));
    EXPECT(*(int *) (p + 8 * PAGE) == 1);
    KEPT(9, "lock incq (%1)", "+r"(i) : "r"(p + 9 * PAGE));
    EXPECT(calls == 0);
    // Once a page is there, nothing is said of it.
    __asm__ volatile("lock incq (%0)" : : "r"(p) : "memory", "cc");
    EXPECT(lost(0) == 0 && *(long *) p == 6);
}

static void plain(void) {
    char *p = lost_pages(2);
    put(0, p, 2);
    long l = 1;
    EXPECT(FAULTS(__asm__ volatile("movq (%1), %0" : "+r"(l) : "r"(p) : "memory")));
    EXPECT(FAULTS(__asm__ volatile("movq %0, (%1)" : : "r"(l), "r"(p) : "memory")));
    EXPECT(FAULTS(__asm__ volatile("movl %%r9d, (%0)" : : "r"(p) : "memory", "r9")));
    EXPECT(FAULTS(__asm__ volatile("movb $1, (%0)" : : "r"(p) : "memory")));
    EXPECT(FAULTS(__asm__ volatile("addl $1, (%0)" : : "r"(p) : "memory", "cc")));
    EXPECT(FAULTS(__asm__ volatile("rep stosb" : "+D"(p), "+c"(l) : "a"(0) : "memory")));
    EXPECT(calls == 6 && lost(0) == 0);
    EXPECT(seen.si_code == BUS_ADRERR && seen.si_addr == p);
}

static int atomic_faults(char *at) {
    return FAULTS(__asm__ volatile("lock incl (%0)" : : "r"(at) : "memory", "cc"));
}

static void outside(void) {
    char *p = lost_pages(4);
    EXPECT(atomic_faults(p));
    put(0, p + PAGE, 1);
    EXPECT(atomic_faults(p) && atomic_faults(p + 2 * PAGE) && lost(0) == 0);
    EXPECT(!atomic_faults(p + PAGE) && lost(0) == 1);
    *entry(0) = 0;
    EXPECT(atomic_faults(p + 3 * PAGE));
    EXPECT(calls == 4);
}

static void edges(void) {
    char *p = lost_pages(3);
    put(0, p, 3);
    EXPECT(!atomic_faults(p + 2 * PAGE + PAGE - 4));
    EXPECT(atomic_faults(p) == 0 && *(int *) (p + PAGE - 4) == 0);
    // The page between is still the file's.
    EXPECT(FAULTS(*(volatile int *) (p + PAGE)));
}

static void last(void) {
    char *p = lost_pages(1);
    put(AT_ROOM - 1, p, 1);
    EXPECT(!atomic_faults(p) && lost(AT_ROOM - 1) == 1 && lost(0) == 0);
    EXPECT((char *) entry(AT_ROOM) == code + PAGE * (2 + AT_TABLE_PAGES));
}

// The kernel refuses the page: the handler before is asked, with what it would have got.
static void refused(void) {
    char *p = lost_pages(2);
    put(0, p, 2);
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    EXPECT(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
    EXPECT(atomic_faults(p + PAGE) && calls == 1);
    EXPECT(seen.si_code == BUS_ADRERR && seen.si_addr == p + PAGE);
    EXPECT(lost(0) == 1);
}

static void sent(void) {
    char *p = lost_pages(1);
    put(0, p, 1);
    EXPECT(FAULTS(raise(SIGBUS)));
    EXPECT(seen.si_signo == SIGBUS && seen.si_code == SI_TKILL && lost(0) == 0);
    siginfo_t info = {.si_signo = SIGBUS, .si_code = SI_QUEUE};
    EXPECT(FAULTS(syscall(SYS_rt_sigqueueinfo, getpid(), SIGBUS, &info)));
    EXPECT(calls == 2 && lost(0) == 0);
}

// Each copy has the ranges that were entered into it.
static void copies(const char *file) {
    char *p = lost_pages(3);
    char *first = code;
    put(0, p, 1);
    load(file, first);
    put(0, p + PAGE, 1);
    EXPECT(!atomic_faults(p) && lost(0) == 0);
    EXPECT(!atomic_faults(p + PAGE) && lost(0) == 1);
    EXPECT(atomic_faults(p + 2 * PAGE) && calls == 1);
}

static void *hammer(void *at) {
    for (int i = 0; i < 1000; i++) {
        __asm__ volatile("lock incl (%0)" : : "r"((char *) at + i % 64 * PAGE) : "memory", "cc");
    }
    return 0;
}

static void threads(void) {
    for (int round = 0; round < 50; round++) {
        char *p = lost_pages(64);
        put(round, p, 64);
        pthread_t all[THREADS];
        for (int i = 0; i < THREADS; i++) {
            EXPECT(pthread_create(all + i, 0, hammer, p) == 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(all[i], 0);
        }
        EXPECT(lost(round) == 1 && calls == 0);
    }
}

// All registers, and errno, are as before when the instruction is made again.
static void registers(void) {
    char *p = lost_pages(1);
    put(0, p, 1);
    uint64_t r[8];
    __asm__ volatile(
        "  mov $1, %%rax\n  mov $2, %%rcx\n  mov $3, %%rdx\n  mov $4, %%rsi\n  mov $5, %%rdi\n"
        "  mov $6, %%r8\n  mov $7, %%r9\n  mov $8, %%r10\n  mov $9, %%r11\n"
        "  lock incl (%0)\n"
        "  mov %%rcx, (%1)\n  mov %%rdx, 8(%1)\n  mov %%rsi, 16(%1)\n  mov %%rdi, 24(%1)\n"
        "  mov %%r8, 32(%1)\n  mov %%r9, 40(%1)\n  mov %%r10, 48(%1)\n  mov %%r11, 56(%1)\n"
        : : "r"(p), "r"(r)
        : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
    for (int i = 0; i < 8; i++) {
        EXPECT(r[i] == 2 + (uint64_t) i);
    }
    EXPECT(*(int *) p == 1 && calls == 0);
}

int main(int count, char **arguments) {
    EXPECT(count == 3);
    load(arguments[1], previous);
    const char *scenario = arguments[2];
    if (strcmp(scenario, "atomic instructions") == 0) atomics();
    else if (strcmp(scenario, "loads and stores") == 0) plain();
    else if (strcmp(scenario, "outside of the ranges") == 0) outside();
    else if (strcmp(scenario, "edges") == 0) edges();
    else if (strcmp(scenario, "last entry") == 0) last();
    else if (strcmp(scenario, "no page to be had") == 0) refused();
    else if (strcmp(scenario, "sent by somebody") == 0) sent();
    else if (strcmp(scenario, "second copy") == 0) copies(arguments[1]);
    else if (strcmp(scenario, "many threads") == 0) threads();
    else if (strcmp(scenario, "registers") == 0) registers();
    else return 2;
    return 0;
}
