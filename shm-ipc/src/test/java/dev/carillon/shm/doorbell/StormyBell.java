package dev.carillon.shm.doorbell;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.SignalService;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.proc.SignalStorm;

/** A program whose thread waits for a bell with a deadline, while signals interrupt its call all the time. */
final class StormyBell {
    private StormyBell() {}

    public static void main(String[] args) throws Exception {
        Sys sys = Sys.get();
        int pid = sys.processes().pid();
        // A handler for the signal; poll(2) fails with EINTR after any.
        try (EventLoop loop = EventLoop.open().start();
                SignalService service = SignalService.attach(loop, SignalSet.of(Signal.SIGURG));
                DoorbellPair pair = Doorbell.pair()) {
            System.out.println("attached: " + service.attached());
            SignalStorm.over(
                    deadline -> pair.host().awaitUntil(deadline) == DoorbellEvent.TIMEOUT,
                    sys.processes()::threadId,
                    thread -> sys.signals().sendToThread(pid, thread, Signal.SIGURG.number()));
        }
    }
}
