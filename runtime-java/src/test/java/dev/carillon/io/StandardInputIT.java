package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.RunMode;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Programs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Standard input on a loop, whatever it is. */
final class StandardInputIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final List<String> ALL = List.of("got one", "got two", "end", "blocks again");

    private static ChildJvm echo() {
        return ChildJvm.of(Echo.class);
    }

    // r[verify io.poll]
    @Test
    void aPipeIsReadAsItComes() {
        try (ChildProcess child = echo().start()) {
            child.writeLine("one");
            child.awaitLine("got one", LIMIT);
            child.writeLine("two");
            child.awaitLine("got two", LIMIT);
        }
    }

    // r[verify io.poll]
    @Test
    void aPipeIsReadToItsEnd() {
        try (ChildProcess child = echo().prefix("sh", "-c", "printf 'one\\ntwo\\n' | \"$@\"", "sh")
                .start()) {
            assertEquals(ALL, child.awaitExit(LIMIT).stdout());
        }
    }

    // r[verify io.poll]
    @Test
    void aFileIsReadToItsEnd(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("input"), "one\ntwo\n");
        try (ChildProcess child = echo().prefix("sh", "-c", "exec \"$@\" <\"$IN\"", "sh")
                .environment("IN", file.toString())
                .start()) {
            assertEquals(ALL, child.awaitExit(LIMIT).stdout());
        }
    }

    // r[verify io.poll]
    @Test
    void theNullDeviceIsAtItsEnd() {
        try (ChildProcess child =
                echo().prefix("sh", "-c", "exec \"$@\" </dev/null", "sh").start()) {
            assertEquals(List.of("end", "blocks again"), child.awaitExit(LIMIT).stdout());
        }
    }

    // r[verify io.poll]
    @Test
    void aTerminalIsReadAndGetsItsFlagBack() {
        Programs.need("script");
        try (ChildProcess child = echo().prefix(
                        "bash", "-c", "exec script -qec \"$(printf '%q ' \"$@\")\" /dev/null", "bash")
                .start()) {
            child.awaitLine("terminal", LIMIT);
            child.writeLine("one");
            child.awaitLine("got one", LIMIT);
            child.writeLine("two");
            child.awaitLine("got two", LIMIT);
            // End of file, as a terminal's driver understands it at the beginning of a line.
            child.writeLine("\u0004");
            child.awaitLine("end", LIMIT);
            child.awaitLine("blocks again", LIMIT);
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
        }
    }

    /** Says each line that it reads, and whether standard input blocks again when it was closed. */
    static final class Echo {
        public static void main(String[] args) throws IOException {
            int copy = Sys.get().descriptors().duplicateFrom(0, 10).acquire();
            if (Files.readSymbolicLink(Path.of("/proc/self/fd/0")).startsWith("/dev/pts")) {
                System.out.println("terminal");
            }
            StringBuilder text = new StringBuilder();
            ByteBuffer buffer = ByteBuffer.allocateDirect(1024);
            EventLoop loop = EventLoop.open();
            Descriptor input = Descriptor.adopt(loop, 0);
            assertTrue(Sys.get().descriptors().isNonBlocking(copy));
            input.readSome(buffer, Operation.of(done -> {
                if (done.failure() == null && done.result() > 0) {
                    text.append(StandardCharsets.US_ASCII.decode(buffer.flip()));
                    for (int end; (end = text.indexOf("\n")) >= 0; text.delete(0, end + 1)) {
                        System.out.println("got " + text.substring(0, end));
                    }
                    input.readSome(buffer.clear(), done);
                } else {
                    System.out.println(done.failure() == null ? "end" : done.failure());
                    input.close();
                    loop.requestStop();
                }
            }));
            loop.run(RunMode.DRAINED);
            System.out.println(Sys.get().descriptors().isNonBlocking(copy) ? "does not block" : "blocks again");
        }
    }
}
