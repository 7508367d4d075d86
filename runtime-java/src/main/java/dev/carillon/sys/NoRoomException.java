package dev.carillon.sys;

import dev.carillon.SyscallException;
import java.io.Serial;

/** There is no room to load the library that makes system calls, at this moment. */
final class NoRoomException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final SyscallException why;

    /** From what the kernel would say. */
    NoRoomException(SyscallException why) {
        super(why);
        this.why = why;
    }

    SyscallException why() {
        return why;
    }
}
