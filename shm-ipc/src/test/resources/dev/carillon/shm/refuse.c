/*
 * refuse ENOSYS|EPERM futex|shared-futex|pidfd_open|memfd_create PROGRAM...: runs a program without that call, as the profile of a
 * container does. No VM runs without futexes, so shared-futex leaves those that are private to a process, and the one with
 * which the launcher of a VM waits for its thread.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define SKIP_UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (count))
#define SKIP_IF(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (count), 0)

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "refuse ENOSYS|EPERM CALL PROGRAM...\n");
        return 64;
    }
    const char *call = argv[2];
    unsigned number = strcmp(call, "pidfd_open") == 0 ? SYS_pidfd_open
            : strcmp(call, "memfd_create") == 0       ? SYS_memfd_create
                                                      : SYS_futex;
    unsigned refused = SECCOMP_RET_ERRNO | (strcmp(argv[1], "EPERM") == 0 ? EPERM : ENOSYS);
    struct sock_filter some[] = {
            LOAD(nr), SKIP_UNLESS(number, 5), LOAD(args[1]),
            SKIP_IF(FUTEX_WAIT, 2), SKIP_IF(FUTEX_WAKE, 1), SKIP_UNLESS(FUTEX_WAIT_BITSET, 1),
            BPF_STMT(BPF_RET | BPF_K, refused), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_filter all[] = {LOAD(nr), SKIP_UNLESS(number, 1), BPF_STMT(BPF_RET | BPF_K, refused),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    int isShared = strcmp(call, "shared-futex") == 0;
    struct sock_fprog filter = {
            .len = isShared ? sizeof(some) / sizeof(some[0]) : sizeof(all) / sizeof(all[0]),
            .filter = isShared ? some : all};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        perror("seccomp");
        return 69;
    }
    execvp(argv[3], argv + 3);
    perror(argv[3]);
    return 69;
}
