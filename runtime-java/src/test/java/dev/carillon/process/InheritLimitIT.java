package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.call.Limit;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.LoadedClasses;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Descriptors for a child whose numbers are near the limit. */
final class InheritLimitIT {
    // r[verify process.inherit-limit]
    @Test
    void theHighestNumberCanBeHandedOverAndTheNextOneIsRefused() {
        try (ChildProcess child = ChildJvm.of(Limited.class).start()) {
            ChildExit exit = child.awaitExit(Running.LIMIT);
            assertEquals(
                    List.of(
                            "[0, 1, 2, 3, 95]",
                            "[0, 1, 2, 3, 92, 93, 94, 95]",
                            "asNumber=96: a child has the numbers below its limit of descriptors, which is 96; choose a"
                                    + " lower number, or raise the limit (ulimit -n)",
                            "swapped"),
                    exit.stdout(),
                    exit::toString);
            assertEquals(0, exit.code(), exit::toString);
        }
    }

    // r[verify process.inherit-limit]
    @Test
    void aNumberAboveThoseThatAreHandedOverIsRefusedInWordsThatNameThisLimit() {
        Spawn.Builder command = Spawn.command("true");
        command.inherit(0, 1_023);
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> command.inherit(0, 1_024));
        Running.assertMessage(refused, "asNumber=1024: ");
        Running.assertMessage(refused, "up to 1023, whatever its limit of descriptors (ulimit -n) is");
    }

    /** May have 96 descriptors: a VM has one for each jar of its class path that it has looked into. */
    static final class Limited {
        private Limited() {}

        public static void main(String[] args) throws Exception {
            LoadedClasses.of(InheritLimitIT.class, LibC.class);
            Sys sys = Sys.get();
            try (EventLoop loop = EventLoop.open().start()) {
                sys.processes().setLimit(Constants.RLIMIT_NOFILE, new Limit(96, 96));
                int source = sys.files().open("/dev/null", Constants.O_RDWR, 0).acquire();
                Spawn.Builder list = Spawn.command("ls", "/proc/self/fd");
                System.out.println(Running.linesOf(list.inherit(source, 95), loop));
                System.out.println(Running.linesOf(
                        list.inherit(source, 94).inherit(source, 93).inherit(source, 92), loop));
                try {
                    Spawn.command("true").inherit(source, 96).start(loop);
                } catch (IllegalArgumentException refused) {
                    System.out.println(refused.getMessage());
                }
                swap(sys, loop);
            }
        }

        /** Sources at the very numbers of targets, with hardly any number free. */
        private static void swap(Sys sys, EventLoop loop) {
            Fd[] one = sys.descriptors().pipe(false);
            Fd[] other = sys.descriptors().pipe(false);
            int first = sys.descriptors().duplicateFrom(one[1].acquire(), 92).acquire();
            int second = sys.descriptors()
                    .duplicateFrom(other[1].acquire(), first + 1)
                    .acquire();
            List<Fd> taken = new ArrayList<>();
            for (int free = 82; free < 92; free++) {
                taken.add(sys.descriptors().duplicateFrom(source(one), free));
            }
            String script = "printf a > /proc/self/fd/" + first + "; printf b > /proc/self/fd/" + second;
            Child child = Spawn.command("sh", "-c", script)
                    .inherit(first, second)
                    .inherit(second, first)
                    .start(loop);
            boolean swapped =
                    Running.exitOf(child).isSuccess() && read(sys, one[0]) == 'b' && read(sys, other[0]) == 'a';
            taken.forEach(Fd::close);
            System.out.println(swapped ? "swapped" : "mixed up");
        }

        private static int source(Fd[] pipe) {
            int number = pipe[1].acquire();
            pipe[1].release();
            return number;
        }

        private static int read(Sys sys, Fd end) {
            java.nio.ByteBuffer one = java.nio.ByteBuffer.allocateDirect(1);
            sys.descriptors().read(end.acquire(), sys.libc().addressOf(one), 1);
            return one.get(0);
        }
    }
}
