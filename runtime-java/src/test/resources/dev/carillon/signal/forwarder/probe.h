// Calls a handler as compiled code does: with values of its own in all registers that a function has to keep, and in its
// frame. Returns a bit for each that was not kept.
long probe(void *handler, long signal, void *info, void *context);
#ifdef __aarch64__
// x19 to x28, the frame x29, the stack, and the low halves of v8 to v15.
__asm__(
    ".macro mark n\n  mov x\\n, #0x700 + \\n\n  .endm\n"
    ".macro look n\n  cmp x\\n, #0x700 + \\n\n  b.eq 1f\n  orr x0, x0, #1 << (\\n - 19)\n 1:\n  .endm\n"
    ".macro mark_float n\n  fmov d\\n, #\\n\n  .endm\n"
    ".macro look_float n\n  fmov d0, #\\n\n  fcmp d\\n, d0\n  b.eq 1f\n  orr x0, x0, #0x1000\n 1:\n  .endm\n"
    "probe:\n"
    "  stp x29, x30, [sp, #-176]!\n  stp x19, x20, [sp, #16]\n  stp x21, x22, [sp, #32]\n  stp x23, x24, [sp, #48]\n"
    "  stp x25, x26, [sp, #64]\n  stp x27, x28, [sp, #80]\n"
    "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
    "  .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29\n  mark \\n\n  .endr\n"
    "  .irp n, 8, 9, 10, 11, 12, 13, 14, 15\n  mark_float \\n\n  .endr\n"
    "  mov x9, sp\n  str x9, [sp, #160]\n  str x29, [sp, #168]\n"
    "  mov x9, x0\n  mov x0, x1\n  mov x1, x2\n  mov x2, x3\n"
    "  blr x9\n"
    "  mov x0, #0\n"
    "  .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29\n  look \\n\n  .endr\n"
    "  .irp n, 8, 9, 10, 11, 12, 13, 14, 15\n  look_float \\n\n  .endr\n"
    "  mov x9, sp\n  ldr x10, [sp, #160]\n  cmp x9, x10\n  b.eq 1f\n  orr x0, x0, #0x2000\n 1:\n"
    "  ldr x10, [sp, #168]\n  cmp x29, x10\n  b.eq 1f\n  orr x0, x0, #0x4000\n 1:\n"
    "  ldp d14, d15, [sp, #144]\n  ldp d12, d13, [sp, #128]\n  ldp d10, d11, [sp, #112]\n  ldp d8, d9, [sp, #96]\n"
    "  ldp x27, x28, [sp, #80]\n  ldp x25, x26, [sp, #64]\n"
    "  ldp x23, x24, [sp, #48]\n  ldp x21, x22, [sp, #32]\n  ldp x19, x20, [sp, #16]\n  ldp x29, x30, [sp], #176\n"
    "  ret\n");
#else
__asm__(
    "probe:\n"
    "  push %rbx\n  push %rbp\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
    "  sub $24, %rsp\n"
    "  mov %rdi, %rax\n  mov %rsi, %rdi\n  mov %rdx, %rsi\n  mov %rcx, %rdx\n"
    "  mov $0x11111111, %rbx\n  mov $0x22222222, %rbp\n  mov $0x33333333, %r12\n"
    "  mov $0x44444444, %r13\n  mov $0x55555555, %r14\n  mov $0x66666666, %r15\n"
    "  mov %rsp, (%rsp)\n  movq $0x77777777, 8(%rsp)\n"
    "  call *%rax\n"
    "  xor %eax, %eax\n"
    "  cmp $0x11111111, %rbx\n  je 1f\n  or $1, %eax\n 1:\n"
    "  cmp $0x22222222, %rbp\n  je 1f\n  or $2, %eax\n 1:\n"
    "  cmp $0x33333333, %r12\n  je 1f\n  or $4, %eax\n 1:\n"
    "  cmp $0x44444444, %r13\n  je 1f\n  or $8, %eax\n 1:\n"
    "  cmp $0x55555555, %r14\n  je 1f\n  or $16, %eax\n 1:\n"
    "  cmp $0x66666666, %r15\n  je 1f\n  or $32, %eax\n 1:\n"
    "  cmp (%rsp), %rsp\n  je 1f\n  or $64, %eax\n 1:\n"
    "  cmpq $0x77777777, 8(%rsp)\n  je 1f\n  or $128, %eax\n 1:\n"
    "  add $24, %rsp\n"
    "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbp\n  pop %rbx\n"
    "  ret\n");
#endif
