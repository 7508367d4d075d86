package dev.carillon.benchmarks.shm;

import dev.carillon.benchmarks.worker.Affinity;
import dev.carillon.benchmarks.worker.Stage;
import dev.carillon.shm.Frame;
import dev.carillon.shm.LinkConfig;
import dev.carillon.shm.ShmHost;
import dev.carillon.shm.ShmLink;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** The guests of a host beside the one that is measured: all that it can have, in one other VM, with a thread for each. */
final class OtherGuests implements AutoCloseable {
    /** With the one that is measured the host is full. */
    static final int COUNT = ShmHost.MAX_PEERS - 1;

    /** Small: 255 of the usual ones take 700 MiB. */
    static final LinkConfig LINK =
            LinkConfig.builder().ring(8).slots(1024, 2).channels(8).build();

    /** Between two frames to each of those that are busy. */
    private static final Duration PAUSE = Duration.ofMillis(10);

    private static final int TYPE = 1;
    private static final int BYTES = 64;

    private final FarSide far;
    private final List<ShmLink> links = new ArrayList<>();
    private final Thread sender = new Thread(this::exchange, "sends to the others");
    private volatile boolean over;

    private OtherGuests(FarSide far) {
        this.far = far;
    }

    /** All of them come to a host; those that are busy answer a frame a hundred times a second. */
    static OtherGuests come(LinkHost host, boolean busy, Stage stage) throws Exception {
        OtherGuests others = new OtherGuests(FarSide.start(Guests.class, Guests.class, stage));
        boolean here = false;
        try {
            others.far.open("others", host.address(), stage.second());
            for (int i = 0; i < COUNT; i++) {
                others.links.add(host.other());
            }
            if (busy) {
                others.sender.setDaemon(true);
                others.sender.start();
            }
            here = true;
            return others;
        } finally {
            if (!here) {
                others.close();
            }
        }
    }

    private void exchange() {
        // It has not the core of the side that is measured.
        Affinity.release();
        Frame frame = Frame.of(TYPE, 0, ByteBuffer.allocateDirect(BYTES));
        while (!over) {
            for (ShmLink link : links) {
                // One that has not answered yet has frames enough.
                link.trySend(frame);
                link.poll(answer -> {}, Integer.MAX_VALUE);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /** They end with their process, which the host is not told of: their links are closed. */
    @Override
    public void close() {
        over = true;
        try {
            sender.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        links.forEach(ShmLink::close);
        far.end();
    }

    /** The main class of their VM. */
    public static final class Guests {
        private Guests() {}

        /** Serves {@link FarSide}. */
        public static void main(String[] args) throws Exception {
            say("ready");
            BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = requests.readLine(); line != null; line = requests.readLine()) {
                String[] words = line.split(" ", 4);
                for (int i = 0; i < COUNT; i++) {
                    ShmLink link = LinkHost.guestOf(words[3]);
                    Thread answerer = new Thread(() -> answer(link), "guest " + i);
                    answerer.setDaemon(true);
                    answerer.start();
                }
                say("opened");
            }
            System.exit(0);
        }

        private static void say(String word) {
            System.out.println(word);
        }

        private static void answer(ShmLink link) {
            try (link) {
                while (link.awaitData(Duration.ofHours(1))) {
                    link.poll(link::trySend, Integer.MAX_VALUE);
                }
            } catch (InterruptedException never) {
                throw new IllegalStateException(never);
            }
        }
    }
}
