package dev.carillon.process;

import dev.carillon.SyscallException;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import java.util.ArrayDeque;
import java.util.Deque;

/** The descriptors of this process, taken by a test. */
final class TakenDescriptors {
    private TakenDescriptors() {}

    /** Takes all but so many. */
    static Deque<Fd> allBut(int free) {
        Sys sys = Sys.get();
        Deque<Fd> all = new ArrayDeque<>();
        boolean full = false;
        while (!full) {
            try {
                all.push(sys.descriptors().duplicateFrom(1, 0));
            } catch (SyscallException e) {
                full = true;
            }
        }
        for (int i = 0; i < free; i++) {
            all.pop().close();
        }
        return all;
    }

    /** How many there are to be taken. */
    static int free() {
        Deque<Fd> all = allBut(0);
        all.forEach(Fd::close);
        return all.size();
    }
}
