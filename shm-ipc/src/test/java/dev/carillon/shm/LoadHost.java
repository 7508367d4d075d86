package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.NO_TIME;

import dev.carillon.ClosedException;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.test.ChildJvm;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A host under load, whose guests are other VMs. It reads commands: {@code count} prints what was received so far, {@code pause} has
 * the guests stop and say what they have sent; the end of its input ends it.
 *
 * <p>Arguments: {@code memfd} or {@code files}, a directory or {@code -}, and of each guest {@code plain} or {@code channels}.
 */
final class LoadHost {
    /** The guest is to send no more. */
    static final int STOP = 8;

    /** The guest sends no more; the id says how many frames came before this one. */
    static final int STOPPED = 9;

    static final Duration SHORT = Duration.ofMillis(5);

    static final LinkConfig CONFIG = LinkConfig.builder()
            .ring(64)
            .slots(512, 8)
            .slots(2048, 4)
            .channels(16)
            .window(8_000)
            .build();

    private final AtomicLong received = new AtomicLong();
    private volatile boolean pausing;

    public static void main(String[] args) throws Exception {
        new LoadHost().run(args);
    }

    private void run(String[] args) throws Exception {
        // The VM of a guest may take long to start.
        HostConfig.Builder builder = HostConfig.builder().reserveFor(LinkPair.LONG);
        HostConfig config = args[0].equals("files") ? builder.inFiles().build() : builder.build();
        try (ShmHost host = args[1].equals("-") ? ShmHost.create(config) : ShmHost.create(Path.of(args[1]), config)) {
            for (int i = 2; i < args.length; i++) {
                begin(host, args[i]);
            }
            var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                pausing = line.equals("pause");
                if (line.equals("count")) {
                    System.out.println("received " + received.get() + " at " + System.nanoTime());
                }
            }
        }
    }

    private void begin(ShmHost host, String kind) {
        PeerTicket ticket = host.addPeer(CONFIG);
        Child child = host.spawn(
                Spawn.command(ChildJvm.of(LoadGuest.class).args(kind).command())
                        .stdin(Stdio.nothing())
                        .stdout(Stdio.inherit())
                        .stderr(Stdio.inherit()),
                ticket);
        System.out.println("guest " + ticket.link().peerId() + " pid=" + child.pid());
        Thread server = new Thread(
                () -> serve(ticket.link()), "serves guest " + ticket.link().peerId());
        server.setDaemon(true);
        server.start();
    }

    private void serve(ShmLink link) {
        try {
            serveUntilItLeaves(link);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } catch (ClosedException over) {
            // The host was closed.
        }
    }

    /** Answers some frames, keeps some for a while, and takes part in what the guest does with channels. */
    private void serveUntilItLeaves(ShmLink link) throws InterruptedException {
        Deque<Frame> kept = new ArrayDeque<>();
        Deque<ShmChannel> channels = new ArrayDeque<>();
        boolean told = false;
        // What a channel says ends no wait for frames, so none is long.
        while (link.awaitData(SHORT) || !link.peerState().isOver()) {
            link.poll(frame -> take(link, frame, kept), 16);
            ShmChannel next = link.acceptChannel(NO_TIME);
            if (next != null) {
                channels.add(next);
            }
            for (int left = channels.size(); left > 0; left--) {
                ShmChannel oldest = channels.remove();
                if (!isOver(oldest)) {
                    channels.add(oldest);
                }
            }
            if (pausing && !told) {
                told = link.trySend(Frame.of(STOP, 0, LinkPair.bytes(0, 0))) == SendResult.SENT;
            }
        }
    }

    private static boolean isOver(ShmChannel channel) {
        if (channel.hasEnded()) {
            channel.close();
        }
        return channel.hasEnded();
    }

    private void take(ShmLink link, Frame frame, Deque<Frame> kept) {
        received.incrementAndGet();
        if (frame.type() == STOPPED) {
            kept.forEach(Frame::release);
            kept.clear();
            System.out.println("guest " + link.peerId() + " sent " + (frame.id() + 1));
            return;
        }
        if (frame.id() % 8 == 0) {
            // Where there is no room the guest does without.
            link.trySend(frame);
        }
        if (frame.id() % 5 == 0) {
            kept.add(frame.retain());
        }
        if (kept.size() > 2) {
            kept.remove().release();
        }
    }

    /** For tests that start it. */
    static ChildJvm with(String kind, String directory, String... guests) {
        List<String> args = new ArrayList<>(List.of(kind, directory));
        args.addAll(List.of(guests));
        return ChildJvm.of(LoadHost.class).args(args.toArray(String[]::new));
    }
}
