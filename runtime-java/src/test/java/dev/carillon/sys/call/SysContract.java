package dev.carillon.sys.call;

import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.NativeBytes;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;

/** A family of calls on one LibC, with memory to call on, and everything closed after each test. */
abstract class SysContract {
    final LibC libc;
    final Sys sys;
    final NativeBytes memory;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    SysContract(LibC libc) {
        this.libc = libc;
        sys = new Sys(libc);
        memory = NativeBytes.allocate(libc, 4096);
    }

    @AfterEach
    void closeAll() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
        memory.close();
    }

    /** Closes it after the test. */
    <T extends AutoCloseable> T closing(T resource) {
        opened.push(resource);
        return resource;
    }

    /** The number of a descriptor that is closed after the test. */
    int number(Fd fd) {
        opened.push(fd);
        int number = fd.acquire();
        opened.push(fd::release);
        return number;
    }

    long at(int offset) {
        return memory.address() + offset;
    }
}
