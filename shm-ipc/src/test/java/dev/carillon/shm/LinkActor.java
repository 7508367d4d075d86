package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.text;

import dev.carillon.loop.EventLoop;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A process on the other side of some links, which does to all of them what its parent tells it: their host, or their guest. */
final class LinkActor {
    static final long WINDOW = 2_000;

    /** What is waited for, one on each link. */
    enum Kind {
        DATA,
        ROOM,
        SLOT,
        CLAIM,
        CREDIT,
        CHANNEL,
        ACCEPT,
        DATA_ON_LOOP,
        ROOM_ON_LOOP,
        SLOT_ON_LOOP,
        CLAIM_ON_LOOP,
        CREDIT_ON_LOOP,
        CHANNEL_ON_LOOP,
        ACCEPT_ON_LOOP;

        boolean isOnLoop() {
            return compareTo(DATA_ON_LOOP) >= 0;
        }

        boolean isOnChannel() {
            return isForCredit() || isForFrameOfChannel();
        }

        boolean isForCredit() {
            return this == CREDIT || this == CREDIT_ON_LOOP;
        }

        boolean isForFrameOfChannel() {
            return this == CHANNEL || this == CHANNEL_ON_LOOP;
        }
    }

    /** What happens meanwhile; the last one ends the process. */
    enum Transition {
        PROGRESS,
        RESET,
        CLOSE,
        GOODBYE,
        OWN_CLOSE,
        INTERRUPT,
        DEADLINE,
        LOOP_END,
        DEATH
    }

    private LinkActor() {}

    static List<Kind> kinds(Transition transition) {
        return Stream.of(Kind.values())
                .filter(kind -> switch (transition) {
                    case RESET -> kind.isOnChannel();
                    case CLOSE -> kind.isForFrameOfChannel();
                    case LOOP_END -> kind.isOnLoop();
                    case INTERRUPT, DEADLINE -> !kind.isOnLoop();
                    default -> true;
                })
                .toList();
    }

    static HostConfig config(EventLoop loop, BlockingQueue<ShmLink> arrived) {
        LinkConfig link = LinkConfig.builder()
                .ring(4)
                .slots(256, 2)
                .slots(1024, 1)
                .window(WINDOW)
                .build();
        return HostConfig.builder()
                .loop(loop)
                .link(link)
                .onGuest((arrival, guest) -> arrived.add(arrival))
                .build();
    }

    /** Directory, and which side it is. */
    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0]);
        BlockingQueue<ShmLink> arrived = new LinkedBlockingQueue<>();
        try (EventLoop loop = EventLoop.open().start()) {
            if (args[1].equals("HOST")) {
                try (ShmHost host = ShmHost.create(directory, config(loop, arrived))) {
                    System.out.println("open " + host);
                    obey(arrived::take);
                }
            } else {
                System.out.println("open");
                obey(() -> ShmGuest.connect(directory, LIMIT));
            }
        }
        System.exit(0);
    }

    private interface Links {
        ShmLink next() throws IOException, InterruptedException;
    }

    private static void obey(Links links) throws IOException, InterruptedException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            Transition transition = Transition.valueOf(order);
            List<Acting> all = new ArrayList<>();
            for (int i = 0; i < kinds(transition).size(); i++) {
                all.add(Acting.on(links.next()));
            }
            System.out.println("ready " + transition);
            String next = orders.readLine();
            if ("go".equals(next)) {
                for (Acting each : all) {
                    each.act(transition);
                }
                next = orders.readLine();
            }
            all.forEach(each -> each.link.close());
            System.out.println("ended " + transition + " after " + next);
        }
    }

    private record Acting(Kind kind, ShmLink link, @Nullable ShmChannel channel) {
        static Acting on(ShmLink link) throws InterruptedException {
            Kind kind = Kind.valueOf(text(Objects.requireNonNull(link.receive(LONG))));
            link.send(text("ready"), LONG);
            return new Acting(kind, link, kind.isOnChannel() ? link.acceptChannel(LONG) : null);
        }

        void act(Transition transition) throws InterruptedException {
            switch (transition) {
                case PROGRESS -> progress();
                case RESET -> Objects.requireNonNull(channel).reset();
                case CLOSE -> Objects.requireNonNull(channel).close();
                default -> link.close();
            }
        }

        private void progress() throws InterruptedException {
            switch (kind) {
                case DATA, DATA_ON_LOOP -> link.trySend(text("late"));
                case CHANNEL, CHANNEL_ON_LOOP -> Objects.requireNonNull(channel).send(text("late"), LONG);
                case CREDIT, CREDIT_ON_LOOP -> Objects.requireNonNull(channel).receive(LONG);
                case ACCEPT, ACCEPT_ON_LOOP -> link.openChannel();
                default -> link.poll(frame -> {}, 1);
            }
        }
    }
}
