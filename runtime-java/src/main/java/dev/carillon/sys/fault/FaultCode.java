package dev.carillon.sys.fault;

import dev.carillon.sys.code.CodeListing;

/**
 * The guard's machine code for x86-64: its bytes, and beside them the assembly (AT&amp;T syntax) that a test compares with
 * them.
 *
 * <p>It is a handler as sigaction(2) describes it: rdi is the signal, rsi the siginfo, rdx the context. Where an atomic
 * instruction was interrupted, in one of our ranges, it says in the entry of the range that a page is lost, puts a page of
 * zeros there, and returns; the instruction is made again. Everything else it leaves to the handler before, as it has come:
 * until then it works in registers that a function need not keep, and keeps its three arguments.
 *
 * <p>An instruction is atomic that begins with the prefix lock. So is an xchg with memory, with or without a prefix for wide
 * registers. What it decodes was fetched by the processor, so it can be read.
 *
 * <p>It takes no lock and makes one system call by itself, so errno stays as it is. Two threads that come to one page both put
 * zeros there, which is one loss more of what is lost.
 *
 * <p><b>See:</b> docs/memory.md.
 */
// r[impl memory.atomic-loss]
final class FaultCode {
    /** Where the data page begins, seen from the code. */
    static final String DATA = "guard + 0x1000";

    static final CodeListing LISTING = new CodeListing("""
                                 | guard:
            F30F1EFA             |     endbr64
            837E0802             |     cmpl $BUS_ADRERR, SI_CODE(%rsi)
            0F8598000000         |     jne previous
            488B82A8000000       |     mov UC_RIP(%rdx), %rax
            8038F0               |     cmpb $LOCK, (%rax)
            7412                 |     je atomic
            8A08                 |     mov (%rax), %cl
            80E1F0               |     and $0xF0, %cl
            80F940               |     cmp $REX, %cl
            7503                 |     jne opcode
            48FFC0               |     inc %rax
                                 | opcode:
            803887               |     cmpb $XCHG, (%rax)
            757A                 |     jne previous
                                 | atomic:
            4C8B4E10             |     mov SI_ADDR(%rsi), %r9
            49C1E90C             |     shr $PAGE_SHIFT, %r9
            4C8D05D51F0000       |     lea data+RANGES(%rip), %r8
            4C8B15BE1F0000       |     mov data+END(%rip), %r10
            4D01C2               |     add %r8, %r10
                                 | look:
            4D39D0               |     cmp %r10, %r8
            735C                 |     jae previous
            498B00               |     mov (%r8), %rax
            89C1                 |     mov %eax, %ecx
            81E1FFFF0F00         |     and $COUNT_MASK, %ecx
            48C1E814             |     shr $COUNT_BITS, %rax
            4D89CB               |     mov %r9, %r11
            4929C3               |     sub %rax, %r11
            4939CB               |     cmp %rcx, %r11
            7206                 |     jb found
            4983C010             |     add $ENTRY, %r8
            EBDB                 |     jmp look
                                 | found:
            49C7400801000000     |     movq $1, LOST(%r8)
            57                   |     push %rdi
            56                   |     push %rsi
            52                   |     push %rdx
            4C89CF               |     mov %r9, %rdi
            48C1E70C             |     shl $PAGE_SHIFT, %rdi
            BE00100000           |     mov $PAGE, %esi
            BA03000000           |     mov $ACCESS, %edx
            41BA32400000         |     mov $FLAGS, %r10d
            49C7C0FFFFFFFF       |     mov $-1, %r8
            4531C9               |     xor %r9d, %r9d
            B809000000           |     mov $MMAP, %eax
            0F05                 |     syscall
            5A                   |     pop %rdx
            5E                   |     pop %rsi
            5F                   |     pop %rdi
            4885C0               |     test %rax, %rax
            7801                 |     js previous
            C3                   |     ret
                                 | previous:
            FF25540F0000         |     jmp *data+PREVIOUS(%rip)
            """);

    private FaultCode() {}
}
