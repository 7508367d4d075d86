package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import java.util.Arrays;
import java.util.List;

/** A program that prints so many signals and ends: SignalChild 3 TERM HUP. */
final class SignalChild {
    private SignalChild() {}

    public static void main(String[] args) {
        int count = Integer.parseInt(args[0]);
        List<Signal> signals = Arrays.stream(args).skip(1).map(Signal::named).toList();
        try (EventLoop loop = EventLoop.open().start();
                SignalService service = SignalService.attach(loop, SignalSet.copyOf(signals))) {
            System.out.println(
                    "ready " + service.capture() + " " + service.attached() + " ignored " + service.ignored());
            for (int i = 0; i < count; i++) {
                print(service.awaitAny(service.attached()).join());
            }
        }
        System.out.println("done");
    }

    static void print(SignalInfo info) {
        System.out.println("got " + info.signal() + " from " + info.sender() + " " + info.pid() + " uid " + info.uid()
                + " code " + info.code());
    }
}
