package dev.carillon.test;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.proc.Children;
import dev.carillon.test.proc.SignalState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a child does on signals when its parent, a VM below {@code nohup} or in the background, ignores them. */
class ChildDispositionsIT {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int TERM = 15;

    @Test
    void aParentThatIgnoresSignalsStartsChildrenWithDefaultDispositions() {
        try (ChildProcess parent =
                ChildJvm.of(Parent.class).ignoreSignals("HUP", "INT", "USR1").start()) {
            ChildExit exit = parent.awaitExit(SOON);
            assertEquals(
                    List.of(
                            "the parent: HUP ignored, INT ignored, USR1 ignored",
                            "a command: HUP default, INT default, USR1 default",
                            "a VM: HUP caught, INT caught, USR1 default",
                            "a command of a VM: HUP default, INT default, USR1 default"),
                    exit.stdout(),
                    exit::toString);
        }
    }

    @Test
    void nohupBeforeTheParentEndsNoChildLess() {
        ChildExit exit = ChildJvm.of(Parent.class).prefix("nohup").run(SOON);
        assertEquals(
                "a command: HUP default, INT default, USR1 default",
                exit.stdout().get(1),
                exit::toString);
        assertEquals("a VM: HUP caught, INT caught, USR1 default", exit.stdout().get(2), exit::toString);
    }

    @Test
    void whatTheTestIgnoresStaysIgnoredAlsoByAPrefix() {
        ChildExit exit =
                ChildJvm.of(Ignoring.class).ignoreSignals("HUP", "INT", "TERM").run(SOON);
        assertEquals(
                List.of("asked for: HUP ignored, INT default, TERM default", "nohup: HUP ignored, INT default"),
                exit.stdout(),
                exit::toString);
    }

    static final class Parent {
        public static void main(String[] args) {
            System.out.println("the parent: " + state(ProcessHandle.current().pid()));
            try (ChildProcess command = ChildCommand.of("sleep", "1000").start();
                    ChildProcess vm = ChildJvm.of(Child.class).start()) {
                ready("sleep", command);
                System.out.println("a command: " + state(command.pid()));
                String below = vm.awaitLine("a command of a VM: ", SOON);
                System.out.println("a VM: " + state(vm.pid()));
                System.out.println(below);
            }
        }
    }

    static final class Child {
        public static void main(String[] args) throws Exception {
            Process sleep = new ProcessBuilder("sleep", "1000").start();
            Deadline.after(SOON).await("sleep runs", () -> runs("sleep", sleep.pid()));
            System.out.println("a command of a VM: " + state(sleep.pid()));
            sleep.destroy();
            System.in.read();
        }
    }

    static final class Ignoring {
        public static void main(String[] args) {
            try (ChildProcess asked = ChildCommand.of("sleep", "1000")
                            .ignoreSignals("HUP")
                            .start();
                    ChildProcess nohup =
                            ChildCommand.of("sleep", "1000").prefix("nohup").start()) {
                ready("sleep", asked);
                ready("sleep", nohup);
                System.out.println("asked for: " + of("HUP", 1, asked.pid()) + ", " + of("INT", 2, asked.pid()) + ", "
                        + of("TERM", TERM, asked.pid()));
                System.out.println("nohup: " + of("HUP", 1, nohup.pid()) + ", " + of("INT", 2, nohup.pid()));
            }
        }
    }

    /** Programs before it replace themselves by it. */
    private static void ready(String program, ChildProcess child) {
        Deadline.after(SOON).await(program + " runs", () -> runs(program, child.pid()));
    }

    private static boolean runs(String program, long pid) {
        return Children.program(pid).endsWith("/" + program);
    }

    private static String state(long pid) {
        return of("HUP", 1, pid) + ", " + of("INT", 2, pid) + ", " + of("USR1", 10, pid);
    }

    private static String of(String name, int signal, long pid) {
        return name + " " + SignalState.read("/proc/" + pid).orElseThrow().disposition(signal);
    }
}
