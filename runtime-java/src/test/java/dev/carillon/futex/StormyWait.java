package dev.carillon.futex;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.sys.call.SignalAction;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Architecture;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.proc.SignalStorm;

/** A program whose thread waits with a deadline, while signals interrupt its call all the time. */
final class StormyWait {
    private static final int PAGE = 4_096;

    private StormyWait() {}

    public static void main(String[] args) throws Exception {
        Sys sys = Sys.get();
        handleTheSignal(sys);
        try (MemoryRegion region = MemoryRegion.anonymous(PAGE)) {
            FutexWord word = FutexWord.at(region, 0);
            SignalStorm.over(
                    deadline -> word.await(0, deadline) == WaitResult.TIMED_OUT,
                    sys.processes()::threadId,
                    thread -> sys.signals().sendToThread(sys.processes().pid(), thread, Constants.SIGURG));
        }
    }

    /** A handler that only returns, without SA_RESTART: what it interrupts fails with EINTR. */
    private static void handleTheSignal(Sys sys) {
        long code = sys.memory().mapPrivate(PAGE, Constants.PROT_READ | Constants.PROT_WRITE);
        if (Architecture.isX86()) {
            sys.libc().view(code, PAGE).put(0, (byte) 0xc3);
        } else {
            sys.libc().view(code, PAGE).putInt(0, 0xd65f03c0);
        }
        sys.memory().protect(code, PAGE, Constants.PROT_READ | Constants.PROT_EXEC);
        sys.signals().setAction(Constants.SIGURG, new SignalAction(code, 0, 0));
    }
}
