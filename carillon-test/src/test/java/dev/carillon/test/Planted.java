package dev.carillon.test;

import dev.carillon.test.proc.TaskStat;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Leaks on purpose, and their removal. */
final class Planted {
    private static final int PAGE = 4096;
    private static final Duration TO_END = Duration.ofSeconds(30);

    private final Deque<AutoCloseable> removals = new ArrayDeque<>();

    /** Nobody reads it: a mapping lives as long as its buffer can be reached. */
    @SuppressWarnings("UnusedVariable")
    private @Nullable MappedByteBuffer kept;

    void descriptor() throws IOException {
        removals.push(new FileInputStream("/dev/null"));
    }

    void thread() {
        CountDownLatch end = new CountDownLatch(1);
        Thread thread = new Thread(
                () -> {
                    try {
                        end.await();
                    } catch (InterruptedException interrupted) {
                        throw new IllegalStateException("nobody interrupts this thread", interrupted);
                    }
                },
                "planted");
        thread.start();
        removals.push(() -> {
            end.countDown();
            thread.join(TO_END.toMillis());
        });
        Deadline.after(TO_END).await("the planted thread waits", () -> waits(thread));
    }

    private static boolean waits(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(CountDownLatch.class.getName()));
    }

    /** Only a garbage collection unmaps what a channel mapped; the leak check of the test itself asks for one. */
    void mapping() throws IOException {
        Path file = Files.createTempFile("planted", ".map");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            kept = channel.map(MapMode.READ_WRITE, 0, PAGE);
            removals.push(() -> kept = null);
        }
        removals.push(() -> Files.delete(file));
    }

    void child() {
        ChildProcess child = ChildCommand.of("sleep", "1000").start();
        removals.push(child);
        Deadline.after(TO_END).await("the planted child sleeps", () -> sleeps(child.pid()));
    }

    private static boolean sleeps(long pid) {
        return TaskStat.read("/proc/" + pid)
                .filter(child -> child.name().equals("sleep") && child.state() == 'S')
                .isPresent();
    }

    /** By reflection, as the compiler warns about this class and offers no way to say that it is meant. */
    void ignoredSignal() throws ReflectiveOperationException {
        Class<?> signalClass = Class.forName("sun.misc.Signal");
        Class<?> handlerClass = Class.forName("sun.misc.SignalHandler");
        Object signal = signalClass.getConstructor(String.class).newInstance("USR1");
        Object ignore = handlerClass.getField("SIG_IGN").get(null);
        Object before =
                signalClass.getMethod("handle", signalClass, handlerClass).invoke(null, signal, ignore);
        removals.push(
                () -> signalClass.getMethod("handle", signalClass, handlerClass).invoke(null, signal, before));
    }

    void removeAll() throws Exception {
        while (!removals.isEmpty()) {
            removals.pop().close();
        }
    }
}
