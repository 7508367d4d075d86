package dev.carillon.sys.call;

import static dev.carillon.sys.layout.Constants.AF_UNIX;
import static dev.carillon.sys.layout.Constants.CLD_EXITED;
import static dev.carillon.sys.layout.Constants.EPOLLIN;
import static dev.carillon.sys.layout.Constants.O_RDONLY;
import static dev.carillon.sys.layout.Constants.O_WRONLY;
import static dev.carillon.sys.layout.Constants.POLLIN;
import static dev.carillon.sys.layout.Constants.PROT_EXEC;
import static dev.carillon.sys.layout.Constants.PROT_READ;
import static dev.carillon.sys.layout.Constants.PROT_WRITE;
import static dev.carillon.sys.layout.Constants.SIGURG;
import static dev.carillon.sys.layout.Constants.SOCK_STREAM;

import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.layout.Architecture;
import dev.carillon.sys.layout.SockaddrLayout.Un;
import dev.carillon.test.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A program that interrupts each of its calls a few times before it lets it end. */
final class InterruptedCalls {
    private static final int INTERRUPTIONS = 5;
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int PAGE = 4096;

    private final Sys sys = Sys.get();
    private final LibC libc = sys.libc();
    private final NativeBytes memory = NativeBytes.allocate(libc, PAGE);

    private InterruptedCalls() {}

    public static void main(String[] args) throws Exception {
        InterruptedCalls program = new InterruptedCalls();
        program.handleTheSignal();
        program.transfers();
        program.waits();
        program.others();
    }

    /** A handler that only returns, without SA_RESTART: what it interrupts fails with EINTR. */
    private void handleTheSignal() {
        long code = sys.memory().mapPrivate(PAGE, PROT_READ | PROT_WRITE);
        if (Architecture.isX86()) {
            libc.view(code, PAGE).put(0, (byte) 0xc3);
        } else {
            libc.view(code, PAGE).putInt(0, 0xd65f03c0);
        }
        sys.memory().protect(code, PAGE, PROT_READ | PROT_EXEC);
        sys.signals().setAction(SIGURG, new SignalAction(code, 0, 0));
    }

    /** Runs a call in a thread of its own, interrupts it while it blocks, lets it end, and returns its result. */
    private long interrupted(LongSupplier call, Runnable release) throws Exception {
        CompletableFuture<Integer> threadId = new CompletableFuture<>();
        CompletableFuture<Long> result = new CompletableFuture<>();
        // Keeps the thread's files in /proc until nobody looks at them any more.
        CountDownLatch end = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            threadId.complete(sys.processes().threadId());
            try {
                result.complete(call.getAsLong());
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
            awaitQuietly(end);
        });
        thread.setDaemon(true);
        thread.start();
        int tid = threadId.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        for (int i = 0; i < INTERRUPTIONS && !result.isDone(); i++) {
            long before = switches(tid);
            Deadline.after(LIMIT).await("it blocks", () -> result.isDone() || state(tid) == 'S');
            sys.signals().sendToThread(sys.processes().pid(), tid, SIGURG);
            Deadline.after(LIMIT).await("it was interrupted", () -> result.isDone() || switches(tid) > before);
        }
        end.countDown();
        release.run();
        return result.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private static void awaitQuietly(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        }
    }

    private static String status(int tid, String field) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/task/" + tid + "/status"))) {
                if (line.startsWith(field + ":")) {
                    return line.substring(field.length() + 1).strip();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new IllegalStateException("field=" + field + " is not in status");
    }

    private static char state(int tid) {
        return status(tid, "State").charAt(0);
    }

    private static long switches(int tid) {
        return Long.parseLong(status(tid, "voluntary_ctxt_switches"));
    }

    private static void report(String name, boolean asExpected, String outcome) {
        System.out.println(name + ": " + (asExpected ? outcome : "WRONG"));
    }

    private int number(Fd fd) {
        int number = fd.acquire();
        sys.descriptors().setNonBlocking(number, false);
        return number;
    }

    private void transfers() throws Exception {
        DescriptorCalls calls = sys.descriptors();
        Fd[] pipe = calls.pipe(false);
        int reading = number(pipe[0]);
        int writing = number(pipe[1]);
        long raw = interrupted(() -> libc.read(reading, memory.address(), 8), () -> {});
        report("raw read", raw == -Errno.EINTR, "EINTR");
        long read = interrupted(
                () -> calls.read(reading, memory.address(), 8), () -> calls.write(writing, memory.address(), 8));
        report("read", read == 8, "went on");
        calls.setNonBlocking(writing, true);
        long filled = 0;
        for (long n = 0; n >= 0; n = calls.write(writing, memory.address(), PAGE)) {
            filled += n;
        }
        calls.setNonBlocking(writing, false);
        long all = filled;
        long written = interrupted(() -> calls.write(writing, memory.address(), PAGE), () -> {
            for (long n = 0; n < all; n += calls.read(reading, memory.address(), PAGE)) {
                // reads until the writer has room
            }
        });
        report("write", written == PAGE, "went on");
    }

    private void waits() throws Exception {
        Fd event = sys.clocks().event(0);
        int number = event.acquire();
        memory.bytes().putLong(0, 1);
        PollSet set = sys.pollSet(1);
        set.set(0, number, POLLIN);
        Runnable ring = () -> sys.descriptors().write(number, memory.address(), 8);
        report("poll", interrupted(set::await, ring) == 1, "went on");
        sys.descriptors().read(number, memory.address() + 8, 8);
        long deadline = System.nanoTime() + 2 * LIMIT.toNanos();
        report("poll until a deadline", interrupted(() -> set.awaitUntil(deadline), ring) == 1, "went on");
    }

    private void others() throws Exception {
        byte[] name = ("carillon-eintr-" + sys.processes().pid()).getBytes(StandardCharsets.UTF_8);
        int length = Un.putAbstract(memory.bytes(), 64, name);
        int listening = number(sys.sockets().open(AF_UNIX, SOCK_STREAM));
        sys.sockets().bind(listening, memory.address() + 64, length);
        sys.sockets().listen(listening, 4);
        long accepted = interrupted(
                () -> sys.sockets().accept(listening),
                () -> sys.sockets()
                        .connect(number(sys.sockets().open(AF_UNIX, SOCK_STREAM)), memory.address() + 64, length));
        report("accept", accepted > 0, "went on");
        open();
        futex();
        long reaped = child();
        report("waitid", reaped == CLD_EXITED, "went on");
        try (Epoll epoll = sys.epoll(1);
                Fd event = sys.clocks().event(0)) {
            epoll.add(event.acquire(), EPOLLIN, 0);
            report("epoll", interrupted(() -> epoll.await(LIMIT.toNanos()), () -> {}) == 0, "told");
            event.release();
        }
    }

    private void open() throws Exception {
        Path fifo = Files.createTempDirectory("carillon").resolve("fifo");
        try (SpawnPlan plan = sys.processes().plan()) {
            int pid = plan.spawn("mkfifo", List.of("mkfifo", fifo.toString()), List.of());
            sys.processes().reap(pid);
        }
        long opened = interrupted(
                () -> number(sys.files().open(fifo.toString(), O_RDONLY, 0)),
                () -> number(sys.files().open(fifo.toString(), O_WRONLY, 0)));
        Files.delete(fifo);
        Files.delete(fifo.getParent());
        report("open", opened > 0, "went on");
    }

    private void futex() throws Exception {
        long word = memory.address() + 1024;
        long woken = interrupted(
                () -> sys.futexes().await(word, 0),
                () -> Deadline.after(LIMIT)
                        .await("it waits", () -> sys.futexes().wake(word, 1) == 1));
        report("futex", woken == 0, "went on");
        long begin = System.nanoTime();
        long deadline = begin + 300_000_000;
        long result = interrupted(() -> sys.futexes().awaitUntil(word, 0, deadline), () -> {});
        long end = System.nanoTime();
        boolean isKept = result == -Errno.ETIMEDOUT && end >= deadline && end - begin < LIMIT.toNanos();
        report("futex deadline", isKept, "kept");
    }

    private long child() throws Exception {
        Fd[] pipe = sys.descriptors().pipe(false);
        try (SpawnPlan plan = sys.processes().plan()) {
            // Ends when its input does.
            int pid = plan.duplicate(pipe[0].acquire(), 0).spawn("cat", List.of("cat"), List.of());
            return interrupted(() -> sys.processes().reap(pid).code(), () -> {
                pipe[0].release();
                pipe[0].close();
                pipe[1].close();
            });
        }
    }
}
