package dev.carillon.benchmarks.syscalls;

import static dev.carillon.benchmarks.worker.Calls.check;

import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.Stage;
import dev.carillon.benchmarks.worker.WarmUp;
import dev.carillon.benchmarks.worker.Work;
import dev.carillon.benchmarks.worker.Workload;
import dev.carillon.sys.Errno;
import dev.carillon.sys.LibC;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;

/** System calls through {@link LibC}, called as our own rooms call it: results looked at, no allocation. */
public final class SyscallsWorkload implements Workload {
    private static final int FUTEX_WAKE_PRIVATE = 1 | 128;
    private static final int EFD_NONBLOCK = 0x800;
    private static final int EVENTS = 64;
    private static final int EVENT_BYTES = 16;
    private static final int COUNTER_BYTES = Long.BYTES;

    @Override
    public Map<String, Opener> works() {
        return Map.of(
                "getppid", warm(SyscallsWorkload::getppid),
                "eventfd", warm(Eventfd::new),
                "epoll", warm(Epoll::new),
                "futex-wake", warm(SyscallsWorkload::futexWake),
                "failing-read", warm(SyscallsWorkload::failingRead));
    }

    private static Opener warm(Opener opener) {
        return stage -> WarmUp.shortRounds(opener.open(stage));
    }

    private static Work getppid(Stage stage) {
        LibC libc = LibC.get();
        return (ops, figures) -> {
            long sum = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                sum += libc.getppid();
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(sum);
        };
    }

    private static Work futexWake(Stage stage) {
        LibC libc = LibC.get();
        ByteBuffer word = ByteBuffer.allocateDirect(COUNTER_BYTES);
        long address = libc.addressOf(word);
        return (ops, figures) -> {
            long woken = word.get(0);
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                woken += check("futex", libc.futex(address, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0));
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(woken);
        };
    }

    private static Work failingRead(Stage stage) {
        LibC libc = LibC.get();
        ByteBuffer buffer = ByteBuffer.allocateDirect(COUNTER_BYTES);
        long address = libc.addressOf(buffer);
        return (ops, figures) -> {
            long expected = buffer.get(0);
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                if (libc.read(-1, address, COUNTER_BYTES) == -Errno.EBADF) {
                    expected++;
                }
            }
            figures.nanos(System.nanoTime() - start);
            if (expected != ops) {
                throw new IllegalStateException("expected=" + expected + " of ops=" + ops + " reads failed with EBADF");
            }
        };
    }

    /** Writes a counter and reads it back: what a wake-up costs both sides. */
    private static final class Eventfd implements Work {
        private final LibC libc = LibC.get();
        private final ByteBuffer one = ByteBuffer.allocateDirect(COUNTER_BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(0, 1);
        private final ByteBuffer counter =
                ByteBuffer.allocateDirect(COUNTER_BYTES).order(ByteOrder.nativeOrder());
        private final int fd;

        Eventfd(Stage stage) {
            fd = check("eventfd", libc.eventfd(0, EFD_NONBLOCK));
        }

        @Override
        public void round(long ops, Figures figures) {
            long from = libc.addressOf(one);
            long to = libc.addressOf(counter);
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                check("write", libc.write(fd, from, COUNTER_BYTES));
                check("read", libc.read(fd, to, COUNTER_BYTES));
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(counter.getLong(0));
        }

        @Override
        public void close() {
            check("close", libc.close(fd));
        }
    }

    /** Looks for events where there are none, with a timeout of 0. */
    private static final class Epoll implements Work {
        private final LibC libc = LibC.get();
        private final ByteBuffer events = ByteBuffer.allocateDirect(EVENTS * EVENT_BYTES);
        private final ByteBuffer noTime = ByteBuffer.allocateDirect(2 * Long.BYTES);
        private final int fd;

        Epoll(Stage stage) {
            fd = check("epoll_create1", libc.epoll_create1(0));
        }

        @Override
        public void round(long ops, Figures figures) {
            long to = libc.addressOf(events);
            long timeout = libc.addressOf(noTime);
            long sum = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                sum += check("epoll_pwait2", libc.epoll_pwait2(fd, to, EVENTS, timeout, 0));
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(sum);
        }

        @Override
        public void close() {
            check("close", libc.close(fd));
        }
    }
}
