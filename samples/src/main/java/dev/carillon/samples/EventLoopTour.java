package dev.carillon.samples;

import dev.carillon.io.Operation;
import dev.carillon.io.ServerSocket;
import dev.carillon.io.StreamSocket;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.loop.LoopStats;
import dev.carillon.loop.MissedTicks;
import dev.carillon.loop.RepeatingTimer;
import dev.carillon.loop.RunMode;
import dev.carillon.loop.TimerHandle;
import dev.carillon.timer.WallClockTimers;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What an event loop does, one thing after the other. */
public final class EventLoopTour {
    public static void main(String[] arguments) throws Exception {
        post();
        runOnThisThread();
        timers();
        repeatingTimers();
        wallClock();
        futures();
        operations();
        errors();
    }

    private static void post() throws Exception {
        // region open
        try (EventLoop loop = EventLoop.open().start()) {
            loop.execute(() -> System.out.println("on the loop's thread"));
            loop.schedule(Duration.ofMillis(100), loop::requestStop);
            loop.awaitTermination(Duration.ofSeconds(5));
        }
        // endregion
    }

    private static void runOnThisThread() {
        // region run
        EventLoop loop = EventLoop.open();
        loop.execute(() -> System.out.println("on the thread that runs the loop"));
        loop.schedule(Duration.ofMillis(20), () -> System.out.println("still before the end"));
        loop.requestStop();
        loop.run(RunMode.DRAINED);
        // endregion
    }

    private static void timers() {
        try (EventLoop loop = EventLoop.open()) {
            // region timer
            TimerHandle[] tick = new TimerHandle[1];
            tick[0] = loop.schedule(Duration.ofMillis(10), () -> {
                System.out.println("tick");
                tick[0].rescheduleAt(loop.nanoTime() + 10_000_000);
            });
            loop.schedule(Duration.ofMillis(35), tick[0]::cancel);
            // endregion
            loop.requestStop();
            loop.run(RunMode.DRAINED);
        }
    }

    private static void repeatingTimers() {
        try (EventLoop loop = EventLoop.open()) {
            // region repeating
            Duration second = Duration.ofSeconds(1);
            RepeatingTimer heartbeat = loop.scheduleRepeating(second, second, MissedTicks.SKIP, tick -> {
                System.out.println("alive; " + tick.missed() + " heartbeats were missed");
            });
            // endregion
            loop.schedule(Duration.ofMillis(1), heartbeat::cancel);
            loop.requestStop();
            loop.run(RunMode.DRAINED);
        }
    }

    private static void wallClock() {
        try (EventLoop loop = EventLoop.open()) {
            // region wall
            WallClockTimers calendar = WallClockTimers.open(
                    loop, change -> System.out.println("somebody has set the clock by " + change.step()));
            ZonedDateTime night =
                    ZonedDateTime.now(ZoneId.systemDefault()).plusDays(1).with(LocalTime.of(3, 0));
            calendar.at(night, () -> System.out.println("it is three in the morning"));
            // endregion
            calendar.at(Instant.now(), loop::requestStop);
            loop.run(RunMode.STOPPED);
        }
    }

    private static void futures() throws Exception {
        try (EventLoop loop = EventLoop.open().start()) {
            // region future
            InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            ServerSocket server = ServerSocket.bind(loop, anyPort);
            CompletableFuture<Integer> answered = server.acceptAsync().thenCompose(socket -> {
                ByteBuffer greeting = StandardCharsets.UTF_8.encode("welcome");
                return socket.writeSomeAsync(greeting).whenComplete((count, failure) -> socket.close());
            });
            StreamSocket client =
                    StreamSocket.connect(loop, server.localAddress()).get(5, TimeUnit.SECONDS);
            ByteBuffer buffer = ByteBuffer.allocate(100);
            client.readSomeAsync(buffer).get(5, TimeUnit.SECONDS);
            System.out.println(StandardCharsets.UTF_8.decode(buffer.flip()) + ", in " + answered.join() + " bytes");
            client.close();
            server.close();
            // endregion
        }
    }

    private static void operations() throws Exception {
        try (EventLoop loop = EventLoop.open().start()) {
            CompletableFuture<Long> received = new CompletableFuture<>();
            StreamSocket[] pair = StreamSocket.pair(loop).toArray(StreamSocket[]::new);
            StreamSocket socket = pair[0];
            // region operation
            ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
            long[] total = new long[1];
            Operation read = Operation.of(done -> {
                if (done.failure() == null && done.result() > 0) {
                    total[0] += done.result();
                    socket.readSome(buffer.clear(), done);
                } else {
                    received.complete(total[0]);
                    socket.close();
                }
            });
            socket.readSome(buffer, read);
            // endregion
            pair[1].writeAllAsync(ByteBuffer.allocate(100_000)).get(5, TimeUnit.SECONDS);
            pair[1].close();
            System.out.println("read " + received.get(5, TimeUnit.SECONDS) + " bytes with one operation");
        }
    }

    private static void errors() throws Exception {
        // region errors
        EventLoopOptions options = EventLoopOptions.builder()
                .name("orders")
                .errorHandler((loop, error) -> System.out.println(loop.name() + ": " + error.getMessage()))
                .blockedAfter(Duration.ofMillis(500))
                .build();
        try (EventLoop loop = EventLoop.open(options).start()) {
            loop.execute(() -> {
                throw new IllegalStateException("this goes to the error handler");
            });
            CompletableFuture<String> alive = new CompletableFuture<>();
            loop.execute(() -> alive.complete("and the loop goes on"));
            System.out.println(alive.get(5, TimeUnit.SECONDS));
        }
        // endregion
        // region stats
        EventLoop loop = EventLoop.shared();
        LoopStats stats = loop.stats();
        System.out.println(loop.name() + " on " + loop.backend() + " has run " + stats.tasks() + " tasks");
        // endregion
    }
}
