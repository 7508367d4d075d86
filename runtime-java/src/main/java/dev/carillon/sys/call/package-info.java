/** Checked system calls by family: expected outcomes are values, anything else is a SyscallException. */
@NullMarked
package dev.carillon.sys.call;

import org.jspecify.annotations.NullMarked;
