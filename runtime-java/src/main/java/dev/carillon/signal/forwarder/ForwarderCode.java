package dev.carillon.signal.forwarder;

import dev.carillon.sys.code.CodeListing;

/**
 * The forwarder's machine code for x86-64: its bytes, and beside them the assembly (AT&amp;T syntax) that a test compares
 * with them.
 *
 * <p>It is a handler as sigaction(2) describes it: rdi is the signal, rsi the siginfo, rdx the context. Either the kernel
 * calls it, or a handler of other code that was installed later and passes the signal on. So it keeps what a function
 * has to keep: rbx, rbp, r12 to r15, the stack, and the siginfo of its caller. It works in the registers that system calls
 * leave alone, and in a siginfo of its own on the stack. It touches no other memory but the data page, the route and the
 * mask in the context, and errno not at all, since that is glibc's.
 *
 * <p>{@code entry} is the handler of attached signals: it looks whether this is our process ({@code child}), whether a
 * loop wants the signal and whether it is meant for the VM ({@code previous}); if all is well it writes the siginfo to the
 * loop's pipe ({@code forward}), and when that is full it queues it to the loop's thread by the carrier ({@code queue}).
 * {@code carrier} is the handler of that signal: it writes to the pipe what the queue has kept. Finding it full again, it
 * queues the same once more, and has its thread block the carrier from its return on.
 *
 * <p><b>See:</b> docs/signals-on-the-jvm.md.
 */
// r[impl signal.fork] r[impl signal.carrier] r[impl signal.overflow] r[impl signal.chained]
final class ForwarderCode {
    /** Where the data page begins, seen from the code. */
    static final String DATA = "carrier + PAGE";

    static final CodeListing LISTING = new CodeListing("""
                                 | carrier:
            F30F1EFA             |     endbr64
            53                   |     push %rbx
            4154                 |     push %r12
            4155                 |     push %r13
            4156                 |     push %r14
            4157                 |     push %r15
            4881EC80000000       |     sub $SIGINFO, %rsp
            488D1DE5FF0000       |     lea data(%rip), %rbx
            4989F5               |     mov %rsi, %r13
            4989D6               |     mov %rdx, %r14
            488B4310             |     mov COOKIE(%rbx), %rax
            493B4520             |     cmp MARK(%r13), %rax
            0F85CE010000         |     jne done
            458B6504             |     mov 4(%r13), %r12d
            4183FC41             |     cmp $RELEASE, %r12d
            7470                 |     je release
            418D4424FF           |     lea -1(%r12), %eax
            83F83F               |     cmp $63, %eax
            0F87B6010000         |     ja done
            4E8BBCE300010000     |     mov ROUTES(%rbx,%r12,8), %r15
            4983FF01             |     cmp $DROPPED, %r15
            0F86A4010000         |     jbe done
            B8BA000000           |     mov $186, %eax
            0F05                 |     syscall
            413B4704             |     cmp TID(%r15), %eax
            0F8593010000         |     jne done
            418B3F               |     mov PIPE(%r15), %edi
            4C89EE               |     mov %r13, %rsi
            BA20000000           |     mov $RECORD, %edx
            B801000000           |     mov $1, %eax
            0F05                 |     syscall
            4839D0               |     cmp %rdx, %rax
            0F8478010000         |     je done
            4883F8F5             |     cmp $-11, %rax
            0F8552010000         |     jne refused
            41C7470801000000     |     movl $1, FULL(%r15)
            8B4304               |     mov CARRIER(%rbx), %eax
            FFC8                 |     dec %eax
            490FAB8628010000     |     bts %rax, UC_SIGMASK(%r14)
            E920010000           |     jmp queue
                                 | release:
            498B4518             |     mov 24(%r13), %rax
            48F7D0               |     not %rax
            49218628010000       |     and %rax, UC_SIGMASK(%r14)
            E941010000           |     jmp done
                                 | entry:
            F30F1EFA             |     endbr64
            53                   |     push %rbx
            4154                 |     push %r12
            4155                 |     push %r13
            4156                 |     push %r14
            4157                 |     push %r15
            4881EC80000000       |     sub $SIGINFO, %rsp
            488D1D29FF0000       |     lea data(%rip), %rbx
            4189FC               |     mov %edi, %r12d
            4989F5               |     mov %rsi, %r13
            4989D6               |     mov %rdx, %r14
            83BB0004010000       |     cmpl $0, OURS(%rbx)
            0F84C5010000         |     je child
            B827000000           |     mov $39, %eax
            0F05                 |     syscall
            3B03                 |     cmp TGID(%rbx), %eax
            0F85B6010000         |     jne child
            837B2800             |     cmpl $0, NESTED(%rbx)
            0F8579010000         |     jne nested
                                 | ours:
            4E8BBCE300010000     |     mov ROUTES(%rbx,%r12,8), %r15
            4983FF01             |     cmp $DROPPED, %r15
            0F823C010000         |     jb previous
            0F84DF000000         |     je done
            418B4D08             |     mov 8(%r13), %ecx
            418B5510             |     mov 16(%r13), %edx
            3B13                 |     cmp TGID(%rbx), %edx
            741B                 |     je own
            09CA                 |     or %ecx, %edx
            753B                 |     jnz forward
            443B6308             |     cmp VM_SIGNAL(%rbx), %r12d
            7535                 |     jne forward
            B8BA000000           |     mov $186, %eax
            0F05                 |     syscall
            3B03                 |     cmp TGID(%rbx), %eax
            0F8511010000         |     jne previous
            EB24                 |     jmp forward
                                 | own:
            83F9FA               |     cmp $-6, %ecx
            7415                 |     je own_kill
            83F9FF               |     cmp $-1, %ecx
            751A                 |     jne forward
            488B4B18             |     mov PASS(%rbx), %rcx
            493B4D18             |     cmp 24(%r13), %rcx
            0F84F7000000         |     je previous
            EB0A                 |     jmp forward
                                 | own_kill:
            443B6308             |     cmp VM_SIGNAL(%rbx), %r12d
            0F84EB000000         |     je previous
                                 | forward:
            410F104500           |     movups (%r13), %xmm0
            410F104D10           |     movups 16(%r13), %xmm1
            4989E5               |     mov %rsp, %r13
            410F114500           |     movups %xmm0, (%r13)
            410F114D10           |     movups %xmm1, 16(%r13)
            45896504             |     mov %r12d, 4(%r13)
            41C7450C00000000     |     movl $0, HOLDER(%r13)
            418B3F               |     mov PIPE(%r15), %edi
            4C89EE               |     mov %r13, %rsi
            BA20000000           |     mov $RECORD, %edx
            B801000000           |     mov $1, %eax
            0F05                 |     syscall
            4839D0               |     cmp %rdx, %rax
            745A                 |     je done
            418B7F0C             |     mov SPARE(%r15), %edi
            85FF                 |     test %edi, %edi
            7963                 |     jns hold
            41816D0800000100     |     subl $0x10000, 8(%r13)
            498D7D20             |     lea RECORD(%r13), %rdi
            31C0                 |     xor %eax, %eax
            B90C000000           |     mov $REST, %ecx
            F348AB               |     rep stosq
            488B4310             |     mov COOKIE(%rbx), %rax
            49894520             |     mov %rax, MARK(%r13)
                                 | queue:
            8B3B                 |     mov TGID(%rbx), %edi
            418B7704             |     mov TID(%r15), %esi
            8B5304               |     mov CARRIER(%rbx), %edx
            4D89EA               |     mov %r13, %r10
            B829010000           |     mov $297, %eax
            0F05                 |     syscall
            4885C0               |     test %rax, %rax
            741C                 |     jz done
                                 | refused:
            F04AFF84E300000100   |     lock incq REFUSED(%rbx,%r12,8)
            8B7B0C               |     mov BELL(%rbx), %edi
            488D7320             |     lea ONE(%rbx), %rsi
            BA08000000           |     mov $8, %edx
            B801000000           |     mov $1, %eax
            0F05                 |     syscall
                                 | done:
            4881C480000000       |     add $SIGINFO, %rsp
            415F                 |     pop %r15
            415E                 |     pop %r14
            415D                 |     pop %r13
            415C                 |     pop %r12
            5B                   |     pop %rbx
            C3                   |     ret
                                 | hold:
            B8BA000000           |     mov $186, %eax
            0F05                 |     syscall
            4189450C             |     mov %eax, HOLDER(%r13)
            B801000000           |     mov $1, %eax
            0F05                 |     syscall
            4839D0               |     cmp %rdx, %rax
            75BC                 |     jne refused
            418D4424FF           |     lea -1(%r12), %eax
            490FAB8628010000     |     bts %rax, UC_SIGMASK(%r14)
            490FBAAE280100000F   |     btsq $HELD-1, UC_SIGMASK(%r14)
            418B450C             |     mov HOLDER(%r13), %eax
            413B4704             |     cmp TID(%r15), %eax
            74B8                 |     je done
            8B4304               |     mov CARRIER(%rbx), %eax
            FFC8                 |     dec %eax
            490FB38628010000     |     btr %rax, UC_SIGMASK(%r14)
            EBA9                 |     jmp done
                                 | previous:
            4A8B84E300040000     |     mov PREVIOUS(%rbx,%r12,8), %rax
            4883F801             |     cmp $1, %rax
            725F                 |     jb default
            7499                 |     je done
            4489E7               |     mov %r12d, %edi
            4C89EE               |     mov %r13, %rsi
            4C89F2               |     mov %r14, %rdx
            4881C480000000       |     add $SIGINFO, %rsp
            415F                 |     pop %r15
            415E                 |     pop %r14
            415D                 |     pop %r13
            415C                 |     pop %r12
            5B                   |     pop %rbx
            FFE0                 |     jmp *%rax
                                 | nested:
            B8BA000000           |     mov $186, %eax
            0F05                 |     syscall
            3B03                 |     cmp TGID(%rbx), %eax
            0F8578FEFFFF         |     jne ours
            31FF                 |     xor %edi, %edi
            4889E6               |     mov %rsp, %rsi
            488D542408           |     lea 8(%rsp), %rdx
            B812010000           |     mov $274, %eax
            0F05                 |     syscall
            4885C0               |     test %rax, %rax
            0F855EFEFFFF         |     jnz ours
            48390424             |     cmp %rax, (%rsp)
            0F8554FEFFFF         |     jne ours
                                 | child:
            4A83BCE30004000001   |     cmpq $1, PREVIOUS(%rbx,%r12,8)
            0F843CFFFFFF         |     je done
                                 | default:
            B800008610           |     mov $0x10860000, %eax
            4C0FA3E0             |     bt %r12, %rax
            0F822DFFFFFF         |     jc done
            4489E7               |     mov %r12d, %edi
            488D7340             |     lea DEFAULT(%rbx), %rsi
            31D2                 |     xor %edx, %edx
            41BA08000000         |     mov $8, %r10d
            B80D000000           |     mov $13, %eax
            0F05                 |     syscall
            B827000000           |     mov $39, %eax
            0F05                 |     syscall
            4189C7               |     mov %eax, %r15d
            B8BA000000           |     mov $186, %eax
            0F05                 |     syscall
            4489FF               |     mov %r15d, %edi
            89C6                 |     mov %eax, %esi
            4489E2               |     mov %r12d, %edx
            B8EA000000           |     mov $234, %eax
            0F05                 |     syscall
            E9F2FEFFFF           |     jmp done
            """);

    private ForwarderCode() {}
}
