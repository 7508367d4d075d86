package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What is done with a signal step by step, by each copy of the library in a VM: {@code attach=URG}, {@code close}. */
final class SignalSteps {
    private static @Nullable EventLoop loop;
    private static @Nullable SignalService service;

    private SignalSteps() {}

    static void run(String step) throws Exception {
        String[] words = step.split("=", 2);
        switch (words[0]) {
            case "attach" -> attach(Signal.named(words[1]));
            case "refused" -> refused(Signal.named(words[1]));
            case "displaced" ->
                System.out.println(
                        "displaced " + Objects.requireNonNull(service).displaced());
            case "get" -> get(Signal.named(words[1]));
            case "close" -> close();
            default -> throw new IllegalArgumentException("step=" + step);
        }
    }

    private static void attach(Signal signal) {
        EventLoop opened = EventLoop.open().start();
        loop = opened;
        try {
            service = SignalService.attach(opened, SignalSet.of(signal));
        } catch (RuntimeException refused) {
            opened.close();
            throw refused;
        }
    }

    private static void refused(Signal signal) {
        EventLoop opened = EventLoop.open().start();
        try (opened;
                SignalService taken = SignalService.attach(opened, SignalSet.of(signal))) {
            throw new AssertionError(taken + " was not refused");
        } catch (IllegalStateException | IllegalArgumentException why) {
            System.out.println("refused: " + why.getMessage());
        }
    }

    /** Sends one and receives it. */
    private static void get(Signal signal) throws Exception {
        var wait = Objects.requireNonNull(service).await(signal);
        Signals.send((int) ProcessHandle.current().pid(), signal);
        SignalChild.print(wait.get(30, TimeUnit.SECONDS));
    }

    private static void close() {
        Objects.requireNonNull(service).close();
        Objects.requireNonNull(loop).close();
    }
}
