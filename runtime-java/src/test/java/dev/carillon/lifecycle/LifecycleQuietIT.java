package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SyscallException;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.call.Limit;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.LoadedClasses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A lifecycle that is closed by what it has called, and what its log says of a failure: nothing that is not so. */
// r[verify life.real]
final class LifecycleQuietIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    // r[verify life.close]
    @ParameterizedTest
    @CsvSource({
        "validator closes, HUP, 0",
        "validator closes and refuses, HUP, 0",
        "handler closes, USR1, 0",
        "handler closes, QUIT, 131",
    })
    void aCloseInWhatALifecycleCallsIsQuiet(String mode, String signal, int code) {
        try (ChildProcess child = ChildJvm.of(Closes.class).args(mode).start()) {
            child.awaitLine("ready", LIMIT);
            child.send(signal);
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(code, exit.code(), exit::toString);
            assertEquals(List.of(), exit.stderr(), exit::toString);
            assertEquals(List.of("ready", "closed", "not interrupted"), exit.stdout(), exit::toString);
        }
    }

    // r[verify life.register]
    @Test
    void anExecutorThatRefusesHandlersIsNamedAsTheCause() {
        try (ChildProcess child = ChildJvm.of(Refuses.class).start()) {
            child.awaitLine("ready", LIMIT);
            child.send("USR1");
            child.awaitLine(java.util.regex.Pattern.compile(".*The executor of the handlers has refused.*"), LIMIT);
            child.send("TERM");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(143, exit.code(), exit::toString);
            assertTrue(exit.stderr().stream().noneMatch(line -> line.contains("does not return")), exit::toString);
            assertTrue(exit.stderr().stream().anyMatch(line -> line.contains("as this test wants it")), exit::toString);
        }
    }

    // r[verify life.start]
    @Test
    void aStartThatFindsNoDescriptorIsTriedAgain() {
        ChildExit exit = ChildJvm.of(Exhausted.class).run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        assertEquals(List.of("refused: EMFILE", "started", "cleaned up"), exit.stdout(), exit::toString);
    }

    /** Is closed by what is named. */
    static final class Closes {
        public static void main(String[] args) throws Exception {
            String mode = args[0];
            CountDownLatch over = new CountDownLatch(1);
            Lifecycle lifecycle = Lifecycle.builder().build();
            lifecycle.onShutdown("hook", () -> System.out.println("hook"));
            ReloadValidator closes = () -> {
                lifecycle.close();
                System.out.println("closed");
                System.out.println(Thread.currentThread().isInterrupted() ? "interrupted" : "not interrupted");
                over.countDown();
                if (mode.endsWith("refuses")) {
                    throw new IllegalArgumentException("as this test wants it");
                }
            };
            if (mode.startsWith("validator")) {
                lifecycle.onReload("closes", closes);
            } else {
                lifecycle.handle(Signal.SIGUSR1, info -> closes.validate());
                lifecycle.handle(Signal.SIGQUIT, info -> closes.validate());
            }
            lifecycle.start();
            System.out.println("ready");
            over.await();
            // The thread that closed it ends by itself, and not with the VM; the one of QUIT asks for the end first.
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (List.of("carillon-reload", "carillon-handlers", "carillon-leave")
                        .contains(thread.getName())) {
                    thread.join(LIMIT.toMillis());
                }
            }
        }
    }

    /** Its executor takes nothing. */
    static final class Refuses {
        public static void main(String[] args) throws Exception {
            Lifecycle lifecycle = Lifecycle.builder()
                    .handlerExecutor(task -> {
                        throw new RejectedExecutionException("as this test wants it");
                    })
                    .build();
            lifecycle.handle(Signal.SIGUSR1, info -> System.out.println("called"));
            lifecycle.start();
            System.out.println("ready");
            new CountDownLatch(1).await();
        }
    }

    /** Has no descriptor left when it starts. */
    static final class Exhausted {
        public static void main(String[] args) {
            Sys sys = Sys.get();
            LoadedClasses.of(LifecycleQuietIT.class, LibC.class);
            // What the VM makes at a first start, as the handles of C.
            Lifecycle.builder().build().start().close();
            sys.processes().setLimit(Constants.RLIMIT_NOFILE, new Limit(200, 200));
            Lifecycle lifecycle = Lifecycle.builder().build();
            lifecycle.onShutdown("clean up", () -> System.out.println("cleaned up"));
            List<Fd> opened = new ArrayList<>();
            try {
                exhaust(sys, opened);
                // The VM opens a file for a class, and closes it; a loop needs more than one.
                opened.remove(0).close();
                lifecycle.start();
            } catch (SyscallException refused) {
                System.out.println("refused: " + refused.errnoName());
            }
            opened.forEach(Fd::close);
            lifecycle.start();
            System.out.println("started");
        }

        private static void exhaust(Sys sys, List<Fd> opened) {
            try {
                while (true) {
                    opened.add(sys.clocks().event(0));
                }
            } catch (SyscallException full) {
                full.errnoName();
            }
        }
    }
}
