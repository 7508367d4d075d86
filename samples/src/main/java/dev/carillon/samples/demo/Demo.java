package dev.carillon.samples.demo;

import dev.carillon.doctor.CarillonDoctor;
import dev.carillon.samples.DoorbellPing;
import dev.carillon.samples.ShmHost;
import dev.carillon.samples.SupervisorKt;
import java.io.IOException;
import java.util.List;

/** A tour of what exists, with real processes; fails where something does not do what it says. */
public final class Demo {
    private static final int TERMINATED = 128 + 15;
    private static final int INTERRUPTED = 128 + 2;

    private Demo() {}

    /**
     * Gives the tour.
     *
     * @param arguments none
     */
    public static void main(String... arguments) throws IOException, InterruptedException {
        doctor();
        aServiceIsToldWhoSignals();
        aChildIsSupervised();
        aBellTellsOfADeath();
        Counting.tour();
        aHostAsksItsGuests();
        aServiceEndsInGoodOrder();
        System.out.println("Done. Samples: ./carillon sample");
    }

    private static void doctor() throws IOException, InterruptedException {
        System.out.println("1. The doctor looks at this machine");
        try (Program doctor = Program.start(CarillonDoctor.class)) {
            System.out.println("   " + doctor.awaitLine(".* checks, .*"));
            expect(doctor.awaitExit() == 0, "the doctor found a problem: see ./carillon doctor");
        }
    }

    private static void aServiceIsToldWhoSignals() throws IOException, InterruptedException {
        System.out.println("2. A service in Kotlin gets three signals, each from another process");
        try (Program service = Program.start(ServiceKt.class)) {
            service.awaitLine("ready");
            for (String signal : List.of("USR1", "HUP", "TERM")) {
                long sender = service.sendFromOutside(signal);
                System.out.println("   it says: " + service.awaitLine("SIG" + signal + " from pid " + sender + ", .*"));
            }
            leaves(service, TERMINATED);
        }
    }

    private static void aChildIsSupervised() throws IOException, InterruptedException {
        System.out.println("3. A supervisor keeps children alive; one is killed, then the supervisor is told to end");
        try (Program supervisor = Program.start(SupervisorKt.class, "sleep", "1000")) {
            long first = pid(supervisor.awaitLine("child 1 is pid .*"));
            Program.kill("KILL", first);
            System.out.println("   it says: " + supervisor.awaitLine("child 1 ended: terminated by SIGKILL"));
            long next = pid(supervisor.awaitLine("child 1 is pid .*"));
            System.out.println("   the next one is pid " + next + " instead of " + first);
            supervisor.sendFromOutside("TERM");
            System.out.println("   it says: " + supervisor.awaitLine("all children have ended"));
            expect(supervisor.awaitExit() == 0, "the supervisor failed");
            expect(ProcessHandle.of(next).isEmpty(), "child " + next + " is still there");
        }
    }

    private static void aBellTellsOfADeath() throws IOException, InterruptedException {
        System.out.println("4. Two processes ring each other; one is killed, and the bell of the other tells it");
        try (Program ping = Program.start(DoorbellPing.class)) {
            System.out.println("   " + ping.awaitLine(".* round trips, .*"));
            System.out.println("   " + ping.awaitLine("the bell says PEER_GONE, the guest terminated by SIGKILL"));
            expect(ping.awaitExit() == 0, "the ringing process failed");
        }
    }

    private static void aHostAsksItsGuests() throws IOException, InterruptedException {
        System.out.println("7. A host asks two guests, all through shared memory");
        try (Program host = Program.start(ShmHost.class, "2")) {
            for (String process : List.of("host", "guest 1", "guest 2")) {
                System.out.println("   " + host.awaitLine(process + " pid=\\d+"));
            }
            System.out.println("   " + host.awaitLine("[1-9]\\d* answers/s from 2 guests"));
            host.sendFromOutside("TERM");
            System.out.println("   it says: " + host.awaitLine("SIGTERM: all guests have left"));
            expect(host.awaitExit() == 0, "the host failed");
        }
    }

    private static void aServiceEndsInGoodOrder() throws IOException, InterruptedException {
        System.out.println(
                "8. A service with a request in flight is told to end; another one hangs, and gets Ctrl+C twice");
        try (Program service = Program.startWithErrors(GracefulKt.class)) {
            service.awaitLine("ready");
            service.sendFromOutside("TERM");
            for (String said : List.of(
                    "no request is accepted any more", "the last request is answered", "the storage is closed")) {
                System.out.println("   it says: " + service.awaitLine(said));
            }
            leaves(service, TERMINATED);
        }
        try (Program stuck = Program.startWithErrors(GracefulKt.class, "hangs")) {
            stuck.awaitLine("ready");
            stuck.sendFromOutside("INT");
            System.out.println("   the other says: " + stuck.awaitLine("Press Ctrl\\+C again .*"));
            System.out.println("   the other says: " + stuck.awaitLine("a hook hangs"));
            stuck.sendFromOutside("INT");
            leaves(stuck, INTERRUPTED);
        }
    }

    private static void leaves(Program program, int expected) throws InterruptedException {
        int code = program.awaitExit();
        System.out.println("   and exits with " + code);
        expect(code == expected, "it exits with " + code + " instead of " + expected);
    }

    private static long pid(String line) {
        return Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
    }

    static void expect(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }
}
