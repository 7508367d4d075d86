package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What a loop does not take, and what it says then. */
abstract class LoopRefusalContract extends LoopCase {
    private static final Path NOTHING = Path.of("/dev/null");

    private List<Executable> openings(EventLoop loop, int number) {
        return List.of(
                () -> ServerSocket.bind(loop, localFour()),
                () -> DatagramSocket.bind(loop, localFour()),
                () -> DatagramSocket.connect(loop, localFour()),
                () -> StreamSocket.pair(loop),
                () -> StreamSocket.connect(loop, localFour()),
                () -> Descriptor.adopt(loop, number),
                () -> FileHandle.open(loop, NOTHING),
                () -> FileHandle.open(loop, NOTHING, Set.of(), Operation.of(done -> {})));
    }

    private static long descriptors() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void assertRefused(EventLoop loop, String why) {
        Fd[] pipe = Sys.get().descriptors().pipe(false);
        try {
            int number = pipe[0].enter();
            for (Executable opening : openings(loop, number)) {
                long before = descriptors();
                assertMessage(assertThrows(RejectedExecutionException.class, opening), why);
                assertEquals(before, descriptors());
            }
            assertFalse(Sys.get().descriptors().isNonBlocking(number), "it is its owner's, as it was");
            assertTrue(pipe[0].isOpen());
            pipe[0].leave();
        } finally {
            pipe[0].close();
            pipe[1].close();
        }
    }

    // r[verify io.closed-loop]
    @Test
    void nothingIsOpenedOnAClosedLoop() {
        PollingLoop ran = started();
        ran.close();
        assertRefused(ran, "has ended and takes no new work");
        PollingLoop neverRan = open();
        neverRan.close();
        assertRefused(neverRan, "has ended and takes no new work");
    }

    // r[verify io.closed-loop]
    @Test
    void nothingIsOpenedOnALoopThatIsAskedToStopButOnItsThread() {
        PollingLoop loop = open();
        loop.requestStop();
        assertRefused(loop, "is stopping and takes no new work");
        PollingLoop drained = open();
        drained.execute(() -> {
            drained.requestStop();
            StreamSocket.pair(drained).forEach(StreamSocket::close);
        });
        drained.run(RunMode.DRAINED);
        assertTrue(errors.isEmpty(), errors::toString);
    }
}
