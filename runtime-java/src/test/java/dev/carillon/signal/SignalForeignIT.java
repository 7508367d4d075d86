package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Jdk;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Handlers of others, installed before ours and after it, in all orders of attaching and closing. */
// r[verify signal.buried]
final class SignalForeignIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String SENT = "send=3";

    @TempDir
    private Path folder;

    static Stream<Jdk> jdks() {
        return SignalLaunchIT.jdks();
    }

    private ChildExit run(Jdk jdk, String... steps) {
        ChildExit exit = ChildJvm.of(Steps.class).jdk(jdk).args(steps).run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        exit.assertPrinted("calm");
        return exit;
    }

    private static void assertCount(int expected, String line, ChildExit exit) {
        long count = exit.stdout().stream().filter(line::equals).count();
        assertEquals(expected, count, () -> line + ": " + exit);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void aHandlerOfCThatCallsOursIsCalledOncePerSignal(Jdk jdk) throws Exception {
        String one = "load=" + ForeignHandler.compile(folder, "one");
        ChildExit exit = run(jdk, "attach=URG", one, "close", "attach=URG", "get=URG", "close", SENT);
        assertCount(3, "one", exit);
        exit = run(jdk, "attach=URG", one, "close", SENT, "attach=URG", "close", "attach=URG", "close", SENT);
        assertCount(6, "one", exit);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void aHandlerOfCThatWasThereBeforeIsThereAfterwards(Jdk jdk) throws Exception {
        String one = "load=" + ForeignHandler.compile(folder, "one");
        assertCount(3, "one", run(jdk, one, "attach=URG", "get=URG", "close", SENT));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void aHandlerOfJavaThatCameAfterOursStays(Jdk jdk) {
        run(jdk, "attach=URG", "java", "close", "attach=URG", "get=URG", "close", SENT, "seen=3");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void aHandlerOfJavaThatWasThereBeforeIsThereAfterwards(Jdk jdk) {
        run(jdk, "java", "attach=URG", "get=URG", "close", SENT, "seen=3");
    }

    /** It puts ours back after we have gone: then ours must not be taken for that of somebody else. */
    @ParameterizedTest
    @MethodSource("jdks")
    void aHandlerOfJavaThatPutsOursBackMakesNoRing(Jdk jdk) {
        run(jdk, "attach=URG", "java", "close", "java back", "attach=URG", "get=URG", "close", SENT);
        run(jdk, "attach=URG", "java", "java back", "close", "attach=URG", "get=URG", "close", SENT);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void twoCopiesOfTheLibraryAndTwoHandlersBetweenThemMakeNoRing(Jdk jdk) throws Exception {
        String one = "load=" + ForeignHandler.compile(folder, "one");
        String two = "load=" + ForeignHandler.compile(folder, "two");
        ChildExit exit = run(
                jdk,
                "attach=URG",
                one,
                "close",
                "copy attach=URG",
                two,
                "copy close",
                "attach=URG",
                "get=URG",
                "close",
                "copy attach=URG",
                "copy get=URG",
                "copy close",
                SENT);
        assertCount(3, "one", exit);
        assertCount(3, "two", exit);
    }

    // r[verify signal.passed-on]
    @ParameterizedTest
    @MethodSource("jdks")
    void onTheJvmCaptureAHandlerThatCallsOursReachesTheOneBeforeAfterOursHasGone(Jdk jdk) {
        String[] steps = {"java", "attach=URG", "java chain=URG", "close", SENT, "seen=3", "chained=3"};
        ChildExit exit = ChildJvm.of(Steps.class)
                .jdk(jdk)
                .vmFlags("-Dcarillon.signals=jvm")
                .args(steps)
                .run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        assertEndsBy(jdk, "TERM", 143);
        assertEndsBy(jdk, "USR1", 138);
        assertEndsBy(jdk, "WINCH", 0);
    }

    private static void assertEndsBy(Jdk jdk, String signal, int code) {
        try (ChildProcess child = ChildJvm.of(Steps.class)
                .jdk(jdk)
                .vmFlags("-Dcarillon.signals=jvm")
                .args("attach=" + signal, "java chain=" + signal, "close", "line", "chained=1")
                .start()) {
            child.awaitLine("line", LIMIT);
            child.send(signal);
            if (code == 0) {
                child.writeLine("go on");
            }
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(code, exit.code(), exit::toString);
        }
    }

    // r[verify signal.one-owner] r[verify signal.vm-tools]
    @ParameterizedTest
    @MethodSource("jdks")
    void aSecondCopyOfTheLibraryDoesNotTakeWhatTheFirstHas(Jdk jdk) {
        try (ChildProcess child = ChildJvm.of(Steps.class)
                .jdk(jdk)
                .args(
                        "attach=QUIT",
                        "copy refused=QUIT",
                        "line",
                        "get=QUIT",
                        "close",
                        "copy attach=QUIT",
                        "refused=QUIT",
                        "line",
                        "copy get=QUIT",
                        "copy close",
                        "attach=QUIT",
                        "copy refused=RTMAX",
                        "close")
                .start()) {
            child.awaitLine(
                    Pattern.compile("refused: .*SIGQUIT belongs to another copy of this library.*AppClassLoader.*"),
                    LIMIT);
            child.awaitLine("line", LIMIT);
            SignalVmToolsIT.tool(jdk, "jcmd", Long.toString(child.pid()), "VM.version");
            child.writeLine("go on");
            child.awaitLine(Pattern.compile("refused: .*SIGQUIT belongs to another copy .*URLClassLoader.*"), LIMIT);
            SignalVmToolsIT.tool(jdk, "jcmd", Long.toString(child.pid()), "VM.version");
            child.writeLine("go on");
            child.awaitLine(Pattern.compile("refused: .*SIGRTMAX belongs .*"), LIMIT);
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            exit.assertPrinted("calm");
        }
    }

    // r[verify signal.displaced]
    @ParameterizedTest
    @MethodSource("jdks")
    void aHandlerOverOursIsSeen(Jdk jdk) throws Exception {
        String one = "load=" + ForeignHandler.compile(folder, "one");
        ChildExit exit = run(jdk, "attach=URG", "displaced", one, "displaced", "close");
        assertTrue(exit.stdout().containsAll(List.of("displaced {}", "displaced {SIGURG}")), exit::toString);
        exit = run(jdk, "attach=URG", "java", "displaced", "java back", "displaced", "close");
        assertTrue(exit.stdout().containsAll(List.of("displaced {SIGURG}", "displaced {}")), exit::toString);
    }

    /** Does what it is told, then looks whether it is calm. */
    static final class Steps {
        private static final int LOOKS = 4;
        private static final AtomicInteger CHAINED = new AtomicInteger();
        private static final AtomicInteger SEEN = new AtomicInteger();
        private static final List<Object> BEFORE = new ArrayList<>();

        private Steps() {}

        public static void main(String[] steps) throws Exception {
            SecondCopy copy = new SecondCopy("second copy");
            Scanner lines = new Scanner(System.in, StandardCharsets.US_ASCII);
            for (String step : steps) {
                if (step.startsWith("copy ")) {
                    copy.run(step.substring("copy ".length()));
                } else if (step.startsWith("load=")) {
                    System.load(step.substring("load=".length()));
                } else if (step.startsWith("send=")) {
                    send(Integer.parseInt(step.substring("send=".length())));
                } else if (step.startsWith("seen=")) {
                    int expected = Integer.parseInt(step.substring("seen=".length()));
                    Deadline.after(LIMIT).await(step, () -> SEEN.get() == expected);
                } else if (step.equals("line")) {
                    System.out.println("line");
                    lines.nextLine();
                } else if (step.equals("java")) {
                    BEFORE.add(handle("URG", newHandler(SEEN::incrementAndGet)));
                } else if (step.startsWith("java chain=")) {
                    chain(step.substring("java chain=".length()));
                } else if (step.startsWith("chained=")) {
                    int expected = Integer.parseInt(step.substring("chained=".length()));
                    Deadline.after(LIMIT).await(step, () -> CHAINED.get() == expected);
                } else if (step.equals("java back")) {
                    handle("URG", BEFORE.get(0));
                } else {
                    SignalSteps.run(step);
                }
            }
            ensureCalm();
            System.out.println("calm");
        }

        /** To this very thread, so that each has been handled when this returns. */
        private static void send(int count) {
            var sys = dev.carillon.sys.call.Sys.get();
            for (int i = 0; i < count; i++) {
                sys.signals()
                        .sendToThread(sys.processes().pid(), sys.processes().threadId(), Signal.SIGURG.number());
            }
        }

        /** A thread that spins in a handler uses all of a processor that it gets, in each look; a compiler ends. */
        private static void ensureCalm() throws Exception {
            int looks = 1;
            while (!isCalm(looks == LOOKS)) {
                looks++;
            }
        }

        private static boolean isCalm(boolean mustBe) throws Exception {
            Duration before = used();
            long begin = System.nanoTime();
            if (new CountDownLatch(1).await(500, TimeUnit.MILLISECONDS)) {
                throw new AssertionError("nobody counts down");
            }
            long used = used().minus(before).toNanos();
            long passed = System.nanoTime() - begin;
            boolean isCalm = used * 2 <= passed;
            if (mustBe && !isCalm) {
                throw new AssertionError("used " + used + " ns of " + passed);
            }
            return isCalm;
        }

        private static Duration used() {
            return ProcessHandle.current().info().totalCpuDuration().orElseThrow();
        }

        /** A handler that calls the one before, as a good handler does. */
        private static void chain(String signal) throws ReflectiveOperationException {
            Class<?> type = Class.forName("sun.misc.SignalHandler");
            Method call = type.getMethod("handle", Class.forName("sun.misc.Signal"));
            Object[] before = new Object[1];
            before[0] = handle(signal, newHandler(() -> {
                CHAINED.incrementAndGet();
                try {
                    call.invoke(before[0], signal(signal));
                } catch (ReflectiveOperationException e) {
                    throw new LinkageError("sun.misc.SignalHandler is another one than expected", e);
                }
            }));
        }

        private static Object newHandler(Runnable action) throws ReflectiveOperationException {
            Class<?> type = Class.forName("sun.misc.SignalHandler");
            return Proxy.newProxyInstance(
                    Steps.class.getClassLoader(),
                    new Class<?>[] {type},
                    (self, method, given) -> switch (method.getName()) {
                        case "handle" -> {
                            action.run();
                            yield null;
                        }
                        case "equals" -> self == given[0];
                        case "hashCode" -> 1;
                        default -> "a handler of the test";
                    });
        }

        private static Object handle(String signal, Object handler) throws ReflectiveOperationException {
            Class<?> type = Class.forName("sun.misc.Signal");
            Method handle = type.getMethod("handle", type, Class.forName("sun.misc.SignalHandler"));
            return handle.invoke(null, signal(signal), handler);
        }

        private static Object signal(String name) throws ReflectiveOperationException {
            return Class.forName("sun.misc.Signal").getConstructor(String.class).newInstance(name);
        }
    }
}
