package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.AbstractSocketAddress;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Programs;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** What tests with programs share that nobody here wrote. A missing program skips its tests, and says so. */
abstract class PeerCase extends LoopCase {
    static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    /** The kinds of addresses that streams have. */
    enum Where {
        FOUR,
        SIX,
        PATH,
        ABSTRACT
    }

    /** Other programs of that name understand other options. */
    private static final class Netcat {
        static final boolean IS_THE_ONE_OF_OPENBSD = find();

        private static boolean find() {
            try (ChildProcess help = ChildCommand.of("nc", "-h").start()) {
                return help.awaitExit(PATIENCE).stderr().stream().anyMatch(line -> line.contains("OpenBSD"));
            }
        }
    }

    static void need(String program) {
        Programs.need(
                program, Programs.isInstalled(program) && (!program.equals("nc") || Netcat.IS_THE_ONE_OF_OPENBSD));
    }

    /** Starts a program that stays until the end of the test; its standard input is {@code writeLine}. */
    ChildProcess peer(String... command) {
        need(command[0]);
        return closeLater(ChildCommand.of(command).start());
    }

    ChildProcess peer(List<String> command) {
        return peer(command.toArray(String[]::new));
    }

    /** Runs a program that reads these bytes, and gives what it wrote. */
    byte[] through(byte[] input, List<String> command) {
        need(command.get(0));
        try {
            Path in = Files.write(Files.createTempFile(folder, "in", ""), input);
            Path out = Files.createTempFile(folder, "out", "");
            String[] all = Stream.concat(
                            Stream.of("sh", "-c", "exec \"$@\" <\"$IN\" >\"$OUT\"", "sh"), command.stream())
                    .toArray(String[]::new);
            try (ChildProcess child = ChildCommand.of(all)
                    .environment("IN", in.toString())
                    .environment("OUT", out.toString())
                    .start()) {
                ChildExit exit = child.awaitExit(PATIENCE);
                assertEquals(0, exit.code(), exit::toString);
            }
            return Files.readAllBytes(out);
        } catch (IOException e) {
            throw new AssertionError("no files to run " + command + " with", e);
        }
    }

    /** Where a server of ours is to listen. */
    SocketAddress address(Where where) {
        return switch (where) {
            case FOUR -> localFour();
            case SIX -> localSix();
            case PATH -> UnixDomainSocketAddress.of(folder.resolve("socket"));
            case ABSTRACT ->
                AbstractSocketAddress.of(
                        "carillon-peer-" + ProcessHandle.current().pid());
        };
    }

    static int port(SocketAddress address) {
        return ((InetSocketAddress) address).getPort();
    }

    /** A text in which a program shows its port last, or after a colon. */
    static int portIn(String line) {
        return Integer.parseInt(line.substring(Math.max(line.lastIndexOf(' '), line.lastIndexOf(':')) + 1));
    }

    static InetSocketAddress at(InetSocketAddress host, int port) {
        return new InetSocketAddress(Objects.requireNonNull(host.getAddress()), port);
    }

    static byte[] randomBytes(SplittableRandom random, int most) {
        byte[] bytes = new byte[1 + random.nextInt(most)];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Writes all and reads to the end, both at the same time. */
    static byte[] exchange(StreamSocket socket, byte[] out) {
        var written = socket.writeAllAsync(ByteBuffer.wrap(out));
        var unused = written.thenRun(socket::shutdownOutput);
        byte[] back = readToTheEnd(socket, out.length);
        assertEquals(out.length, get(written));
        return back;
    }

    static byte[] readToTheEnd(StreamSocket socket, int expected) {
        ByteBuffer in = ByteBuffer.allocate(expected + 1);
        int count;
        do {
            count = get(socket.readSomeAsync(in));
        } while (count >= 0 && in.hasRemaining());
        return java.util.Arrays.copyOf(in.array(), in.position());
    }
}
