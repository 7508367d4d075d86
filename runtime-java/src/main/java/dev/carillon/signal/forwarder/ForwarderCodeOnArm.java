package dev.carillon.signal.forwarder;

import dev.carillon.sys.code.CodeListing;

/**
 * The forwarder's machine code for aarch64: its bytes, and beside them the assembly that a test compares with them.
 *
 * <p>It does what {@link ForwarderCode} does, label for label: x0 is the signal, x1 the siginfo, x2 the context. It keeps what
 * a function has to keep: x19 to x23, the frame, the link and the stack; it touches no register for floating point. A
 * system call leaves all registers alone but x0.
 *
 * <p>What was written here as data is what the processor fetches later: the kernel sees to that when it makes a page
 * executable for the first time.
 *
 * <p><b>See:</b> docs/signals-on-the-jvm.md.
 */
// r[impl signal.fork] r[impl signal.carrier] r[impl signal.overflow] r[impl signal.chained]
final class ForwarderCodeOnArm {
    /** Where the data page begins, seen from the code. */
    static final String DATA = ForwarderCode.DATA;

    static final CodeListing LISTING = new CodeListing("""
                     | carrier:
            FD7BBCA9 |     stp x29, x30, [sp, #-FRAME]!
            FD030091 |     mov x29, sp
            F35301A9 |     stp x19, x20, [sp, #16]
            F55B02A9 |     stp x21, x22, [sp, #32]
            F71B00F9 |     str x23, [sp, #48]
            FF0302D1 |     sub sp, sp, #SIGINFO
            53FF0710 |     adr x19, data
            F50301AA |     mov x21, x1
            F60302AA |     mov x22, x2
            690A40F9 |     ldr x9, [x19, #COOKIE]
            AA1240F9 |     ldr x10, [x21, #MARK]
            3F010AEB |     cmp x9, x10
            01110054 |     b.ne done
            B40640B9 |     ldr w20, [x21, #4]
            9F060171 |     cmp w20, #RELEASE
            E0030054 |     b.eq release
            89060051 |     sub w9, w20, #1
            3FFD0071 |     cmp w9, #63
            48100054 |     b.hi done
            690E148B |     add x9, x19, x20, lsl #3
            378140F9 |     ldr x23, [x9, #ROUTES]
            FF0600F1 |     cmp x23, #DROPPED
            C90F0054 |     b.ls done
            481680D2 |     mov x8, #178
            010000D4 |     svc #0
            E90640B9 |     ldr w9, [x23, #TID]
            1F00096B |     cmp w0, w9
            210F0054 |     b.ne done
            E00240B9 |     ldr w0, [x23, #PIPE]
            E10315AA |     mov x1, x21
            020480D2 |     mov x2, #RECORD
            080880D2 |     mov x8, #64
            010000D4 |     svc #0
            1F0002EB |     cmp x0, x2
            400E0054 |     b.eq done
            1F2C00B1 |     cmn x0, #11
            A10C0054 |     b.ne refused
            29008052 |     mov w9, #1
            E90A00B9 |     str w9, [x23, #FULL]
            6A0640B9 |     ldr w10, [x19, #CARRIER]
            4A050051 |     sub w10, w10, #1
            2921CA9A |     lsl x9, x9, x10
            CB1640F9 |     ldr x11, [x22, #UC_SIGMASK_ON_ARM]
            6B0109AA |     orr x11, x11, x9
            CB1600F9 |     str x11, [x22, #UC_SIGMASK_ON_ARM]
            55000014 |     b queue
                     | release:
            A90E40F9 |     ldr x9, [x21, #24]
            CB1640F9 |     ldr x11, [x22, #UC_SIGMASK_ON_ARM]
            6B01298A |     bic x11, x11, x9
            CB1600F9 |     str x11, [x22, #UC_SIGMASK_ON_ARM]
            62000014 |     b done
                     | entry:
            FD7BBCA9 |     stp x29, x30, [sp, #-FRAME]!
            FD030091 |     mov x29, sp
            F35301A9 |     stp x19, x20, [sp, #16]
            F55B02A9 |     stp x21, x22, [sp, #32]
            F71B00F9 |     str x23, [sp, #48]
            FF0302D1 |     sub sp, sp, #SIGINFO
            F3F80710 |     adr x19, data
            F403002A |     mov w20, w0
            F50301AA |     mov x21, x1
            F60302AA |     mov x22, x2
            69424091 |     add x9, x19, #PAGE
            290144B9 |     ldr w9, [x9, #OURS-PAGE]
            C9110034 |     cbz w9, child
            881580D2 |     mov x8, #172
            010000D4 |     svc #0
            690240B9 |     ldr w9, [x19, #TGID]
            1F00096B |     cmp w0, w9
            21110054 |     b.ne child
            692A40B9 |     ldr w9, [x19, #NESTED]
            490F0035 |     cbnz w9, nested
                     | ours:
            690E148B |     add x9, x19, x20, lsl #3
            378140F9 |     ldr x23, [x9, #ROUTES]
            FF0600F1 |     cmp x23, #DROPPED
            030D0054 |     b.lo previous
            20090054 |     b.eq done
            AA0A40B9 |     ldr w10, [x21, #8]
            AB1240B9 |     ldr w11, [x21, #16]
            690240B9 |     ldr w9, [x19, #TGID]
            7F01096B |     cmp w11, w9
            80010054 |     b.eq own
            6B010A2A |     orr w11, w11, w10
            CB020035 |     cbnz w11, forward
            690A40B9 |     ldr w9, [x19, #VM_SIGNAL]
            9F02096B |     cmp w20, w9
            61020054 |     b.ne forward
            481680D2 |     mov x8, #178
            010000D4 |     svc #0
            690240B9 |     ldr w9, [x19, #TGID]
            1F00096B |     cmp w0, w9
            010B0054 |     b.ne previous
            0D000014 |     b forward
                     | own:
            5F190031 |     cmn w10, #6
            00010054 |     b.eq own_kill
            5F050031 |     cmn w10, #1
            21010054 |     b.ne forward
            690E40F9 |     ldr x9, [x19, #PASS]
            AA0E40F9 |     ldr x10, [x21, #24]
            3F010AEB |     cmp x9, x10
            E0090054 |     b.eq previous
            04000014 |     b forward
                     | own_kill:
            690A40B9 |     ldr w9, [x19, #VM_SIGNAL]
            9F02096B |     cmp w20, w9
            60090054 |     b.eq previous
                     | forward:
            A92A40A9 |     ldp x9, x10, [x21]
            AB3241A9 |     ldp x11, x12, [x21, #16]
            F5030091 |     mov x21, sp
            A92A00A9 |     stp x9, x10, [x21]
            AB3201A9 |     stp x11, x12, [x21, #16]
            B40600B9 |     str w20, [x21, #4]
            BF0E00B9 |     str wzr, [x21, #HOLDER]
            E00240B9 |     ldr w0, [x23, #PIPE]
            E10315AA |     mov x1, x21
            020480D2 |     mov x2, #RECORD
            080880D2 |     mov x8, #64
            010000D4 |     svc #0
            1F0002EB |     cmp x0, x2
            E0030054 |     b.eq done
            E90E40B9 |     ldr w9, [x23, #SPARE]
            6904F836 |     tbz w9, #31, hold
            A90A40B9 |     ldr w9, [x21, #8]
            29414051 |     sub w9, w9, #0x10000
            A90A00B9 |     str w9, [x21, #8]
            A9820091 |     add x9, x21, #RECORD
            8A018052 |     mov w10, #REST
                     | zeros:
            3F8500F8 |     str xzr, [x9], #8
            4A050071 |     subs w10, w10, #1
            C1FFFF54 |     b.ne zeros
            690A40F9 |     ldr x9, [x19, #COOKIE]
            A91200F9 |     str x9, [x21, #MARK]
                     | queue:
            600240B9 |     ldr w0, [x19, #TGID]
            E10640B9 |     ldr w1, [x23, #TID]
            620640B9 |     ldr w2, [x19, #CARRIER]
            E30315AA |     mov x3, x21
            081E80D2 |     mov x8, #240
            010000D4 |     svc #0
            800100B4 |     cbz x0, done
                     | refused:
            69424091 |     add x9, x19, #REFUSED
            290D148B |     add x9, x9, x20, lsl #3
                     | count:
            2AFD5FC8 |     ldaxr x10, [x9]
            4A050091 |     add x10, x10, #1
            2AFD0BC8 |     stlxr w11, x10, [x9]
            ABFFFF35 |     cbnz w11, count
            600E40B9 |     ldr w0, [x19, #BELL]
            61820091 |     add x1, x19, #ONE
            020180D2 |     mov x2, #8
            080880D2 |     mov x8, #64
            010000D4 |     svc #0
                     | done:
            FF030291 |     add sp, sp, #SIGINFO
            F71B40F9 |     ldr x23, [sp, #48]
            F55B42A9 |     ldp x21, x22, [sp, #32]
            F35341A9 |     ldp x19, x20, [sp, #16]
            FD7BC4A8 |     ldp x29, x30, [sp], #FRAME
            C0035FD6 |     ret
                     | hold:
            481680D2 |     mov x8, #178
            010000D4 |     svc #0
            A00E00B9 |     str w0, [x21, #HOLDER]
            E00E40B9 |     ldr w0, [x23, #SPARE]
            080880D2 |     mov x8, #64
            010000D4 |     svc #0
            1F0002EB |     cmp x0, x2
            01FDFF54 |     b.ne refused
            CB1640F9 |     ldr x11, [x22, #UC_SIGMASK_ON_ARM]
            2A0080D2 |     mov x10, #1
            89060051 |     sub w9, w20, #1
            4921C99A |     lsl x9, x10, x9
            6B0109AA |     orr x11, x11, x9
            6B0171B2 |     orr x11, x11, #1<<(HELD-1)
            A90E40B9 |     ldr w9, [x21, #HOLDER]
            EC0640B9 |     ldr w12, [x23, #TID]
            3F010C6B |     cmp w9, w12
            A0000054 |     b.eq held
            690640B9 |     ldr w9, [x19, #CARRIER]
            29050051 |     sub w9, w9, #1
            4921C99A |     lsl x9, x10, x9
            6B01298A |     bic x11, x11, x9
                     | held:
            CB1600F9 |     str x11, [x22, #UC_SIGMASK_ON_ARM]
            E3FFFF17 |     b done
                     | previous:
            690E148B |     add x9, x19, x20, lsl #3
            300142F9 |     ldr x16, [x9, #PREVIOUS]
            1F0600F1 |     cmp x16, #1
            83030054 |     b.lo default
            C0FBFF54 |     b.eq done
            E003142A |     mov w0, w20
            E10315AA |     mov x1, x21
            E20316AA |     mov x2, x22
            FF030291 |     add sp, sp, #SIGINFO
            F71B40F9 |     ldr x23, [sp, #48]
            F55B42A9 |     ldp x21, x22, [sp, #32]
            F35341A9 |     ldp x19, x20, [sp, #16]
            FD7BC4A8 |     ldp x29, x30, [sp], #FRAME
            00021FD6 |     br x16
                     | nested:
            481680D2 |     mov x8, #178
            010000D4 |     svc #0
            690240B9 |     ldr w9, [x19, #TGID]
            1F00096B |     cmp w0, w9
            61F0FF54 |     b.ne ours
            000080D2 |     mov x0, #0
            E1030091 |     mov x1, sp
            E2230091 |     add x2, sp, #8
            880C80D2 |     mov x8, #100
            010000D4 |     svc #0
            A0EFFFB5 |     cbnz x0, ours
            E90340F9 |     ldr x9, [sp]
            69EFFFB5 |     cbnz x9, ours
                     | child:
            690E148B |     add x9, x19, x20, lsl #3
            290142F9 |     ldr x9, [x9, #PREVIOUS]
            3F0500F1 |     cmp x9, #1
            80F8FF54 |     b.eq done
                     | default:
            C910A252 |     mov w9, #0x10860000
            2925D49A |     lsr x9, x9, x20
            29F80737 |     tbnz x9, #0, done
            E003142A |     mov w0, w20
            61020191 |     add x1, x19, #DEFAULT
            020080D2 |     mov x2, #0
            030180D2 |     mov x3, #8
            C81080D2 |     mov x8, #134
            010000D4 |     svc #0
            881580D2 |     mov x8, #172
            010000D4 |     svc #0
            F703002A |     mov w23, w0
            481680D2 |     mov x8, #178
            010000D4 |     svc #0
            E103002A |     mov w1, w0
            E003172A |     mov w0, w23
            E203142A |     mov w2, w20
            681080D2 |     mov x8, #131
            010000D4 |     svc #0
            B0FFFF17 |     b done
            """);

    private ForwarderCodeOnArm() {}
}
