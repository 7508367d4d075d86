/** Numbers that the kernel and glibc fix: offsets, sizes, constants and syscall numbers, compared with gcc by a test. */
@NullMarked
package dev.carillon.sys.layout;

import org.jspecify.annotations.NullMarked;
