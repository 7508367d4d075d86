package dev.carillon.signal;

import java.util.HexFormat;

/**
 * The forwarder's machine code for x86-64: its bytes, and beside them the assembly (AT&amp;T syntax) that a test compares
 * with them.
 *
 * <p>It is a handler as sigaction(2) describes it: rdi is the signal, rsi the siginfo, rdx the context. Either the kernel
 * calls it, or a handler of somebody else that was installed later and passes the signal on. So it keeps what a function
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
    static final String DATA = "carrier + 0x1000";

    static final String LISTING = """
                                 | carrier:
            F30F1EFA             |     endbr64
            53                   |     push %rbx
            4154                 |     push %r12
            4155                 |     push %r13
            4156                 |     push %r14
            4157                 |     push %r15
            4881EC80000000       |     sub $SIGINFO, %rsp
            488D1DE50F0000       |     lea data(%rip), %rbx
            4989F5               |     mov %rsi, %r13
            4989D6               |     mov %rdx, %r14
            458B6504             |     mov 4(%r13), %r12d
            44336308             |     xor COOKIE(%rbx), %r12d
            418D4424FF           |     lea -1(%r12), %eax
            83F83F               |     cmp $63, %eax
            0F8755010000         |     ja done
            4E8BBCE300010000     |     mov ROUTES(%rbx,%r12,8), %r15
            4D85FF               |     test %r15, %r15
            0F8444010000         |     jz done
            B8BA000000           |     mov $186, %eax
            0F05                 |     syscall
            413B4704             |     cmp TID(%r15), %eax
            0F8533010000         |     jne done
            418B3F               |     mov PIPE(%r15), %edi
            4C89EE               |     mov %r13, %rsi
            BA20000000           |     mov $RECORD, %edx
            B801000000           |     mov $1, %eax
            0F05                 |     syscall
            4839D0               |     cmp %rdx, %rax
            0F8418010000         |     je done
            4883F8F5             |     cmp $-11, %rax
            0F85F2000000         |     jne refused
            41C7470801000000     |     movl $1, FULL(%r15)
            8B4304               |     mov CARRIER(%rbx), %eax
            FFC8                 |     dec %eax
            490FAB8628010000     |     bts %rax, UC_SIGMASK(%r14)
            E9C0000000           |     jmp queue
                                 | entry:
            F30F1EFA             |     endbr64
            53                   |     push %rbx
            4154                 |     push %r12
            4155                 |     push %r13
            4156                 |     push %r14
            4157                 |     push %r15
            4881EC80000000       |     sub $SIGINFO, %rsp
            488D1D4D0F0000       |     lea data(%rip), %rbx
            4189FC               |     mov %edi, %r12d
            4989F5               |     mov %rsi, %r13
            4989D6               |     mov %rdx, %r14
            B827000000           |     mov $39, %eax
            0F05                 |     syscall
            3B03                 |     cmp TGID(%rbx), %eax
            0F85FD000000         |     jne child
            4E8BBCE300010000     |     mov ROUTES(%rbx,%r12,8), %r15
            4D85FF               |     test %r15, %r15
            0F84C1000000         |     jz previous
            413B4510             |     cmp 16(%r13), %eax
            7528                 |     jne forward
            418B4D08             |     mov 8(%r13), %ecx
            83F9FA               |     cmp $-6, %ecx
            7415                 |     je own_kill
            83F9FF               |     cmp $-1, %ecx
            751A                 |     jne forward
            488B4B18             |     mov PASS(%rbx), %rcx
            493B4D18             |     cmp 24(%r13), %rcx
            0F849F000000         |     je previous
            EB0A                 |     jmp forward
                                 | own_kill:
            443B630C             |     cmp VM_SIGNAL(%rbx), %r12d
            0F8493000000         |     je previous
                                 | forward:
            410F104500           |     movups (%r13), %xmm0
            410F104D10           |     movups 16(%r13), %xmm1
            4989E5               |     mov %rsp, %r13
            410F114500           |     movups %xmm0, (%r13)
            410F114D10           |     movups %xmm1, 16(%r13)
            8B4308               |     mov COOKIE(%rbx), %eax
            4431E0               |     xor %r12d, %eax
            41894504             |     mov %eax, 4(%r13)
            418B3F               |     mov PIPE(%r15), %edi
            4C89EE               |     mov %r13, %rsi
            BA20000000           |     mov $RECORD, %edx
            B801000000           |     mov $1, %eax
            0F05                 |     syscall
            4839D0               |     cmp %rdx, %rax
            744A                 |     je done
            41816D0800000100     |     subl $0x10000, 8(%r13)
            498D7D20             |     lea RECORD(%r13), %rdi
            31C0                 |     xor %eax, %eax
            B90C000000           |     mov $REST, %ecx
            F348AB               |     rep stosq
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
            F04AFF84E300070000   |     lock incq REFUSED(%rbx,%r12,8)
            8B7B10               |     mov BELL(%rbx), %edi
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
                                 | previous:
            4A8B84E300040000     |     mov PREVIOUS(%rbx,%r12,8), %rax
            4883F801             |     cmp $1, %rax
            7228                 |     jb default
            74DF                 |     je done
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
                                 | child:
            4A83BCE30004000001   |     cmpq $1, PREVIOUS(%rbx,%r12,8)
            74B9                 |     je done
                                 | default:
            B800008610           |     mov $0x10860000, %eax
            4C0FA3E0             |     bt %r12, %rax
            72AE                 |     jc done
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
            E973FFFFFF           |     jmp done
            """;

    private ForwarderCode() {}

    /** The code, to be put at the beginning of a page. */
    static byte[] bytes() {
        return HexFormat.of().parseHex(hex(LISTING));
    }

    /** Where a label is, from the beginning. */
    static int offsetOf(String label) {
        int at = LISTING.indexOf("| " + label + ":");
        if (at < 0) {
            throw new IllegalArgumentException("label=" + label + ": not in the listing");
        }
        return hex(LISTING.substring(0, LISTING.lastIndexOf('\n', at) + 1)).length() / 2;
    }

    /** The right column. */
    static String assembly() {
        return column(LISTING, 1, "\n");
    }

    private static String hex(String listing) {
        return column(listing, 0, "");
    }

    private static String column(String listing, int index, String separator) {
        StringBuilder column = new StringBuilder();
        for (String line : listing.split("\n", -1)) {
            if (!line.isEmpty()) {
                column.append(line.split("\\|", -1)[index].strip()).append(separator);
            }
        }
        return column.toString();
    }
}
