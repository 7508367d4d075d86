package dev.carillon.samples;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.SignalService;
import java.util.Optional;

/** Waits to be ended, and tells by whom. */
public final class WhoKilledMe {
    private static final SignalSet ENDS = SignalSet.of(Signal.SIGTERM, Signal.SIGINT, Signal.SIGHUP);

    public static void main(String[] arguments) {
        try (EventLoop loop = EventLoop.open().start();
                SignalService signals = SignalService.attach(loop, ENDS)) {
            System.out.println("pid " + ProcessHandle.current().pid() + " waits; try kill, or Ctrl-C");
            SignalInfo end = signals.awaitAny(signals.attached()).join();
            System.out.println(end.signal() + " from " + sender(end));
        }
    }

    private static String sender(SignalInfo end) {
        return switch (end.sender()) {
            case PROCESS -> "pid " + end.pid() + ", uid " + end.uid() + ": " + commandLine(end.pid());
            case CLAIMED -> "somebody who says to be pid " + end.pid() + ", uid " + end.uid();
            case KERNEL -> "the kernel: a key at the terminal, or its end";
            case OTHER_NAMESPACE -> "uid " + end.uid() + ", outside of this container";
            case UNKNOWN -> "nobody knows whom";
        };
    }

    /** Of the sender, if it still runs: a shell's own kill does, the program kill has ended as a rule. */
    private static String commandLine(int pid) {
        Optional<ProcessHandle> process = ProcessHandle.of(pid);
        return process.flatMap(p -> p.info().commandLine())
                .or(() -> process.flatMap(p -> p.info().command()))
                .orElse("it has ended since");
    }
}
