package dev.carillon.samples;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.samples.words.Word;
import dev.carillon.shm.Frame;
import dev.carillon.shm.HostConfig;
import dev.carillon.shm.LinkConfig;
import dev.carillon.shm.PeerDeath;
import dev.carillon.shm.PeerTicket;
import dev.carillon.shm.SendResult;
import dev.carillon.shm.ShmLink;
import dev.carillon.signal.SignalService;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/**
 * Asks guests through shared memory, and prints the answers per second. A guest that dies gets a successor; SIGTERM or Ctrl-C ends all in
 * good order.
 */
public final class ShmHost {
    static final int QUESTION = 1;
    static final int ANSWER = 2;

    /** So many questions are under way at once. */
    private static final int BATCH = 64;

    private static final int BYTES = 64;
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final SignalSet ENDS = SignalSet.of(Signal.SIGTERM, Signal.SIGINT);

    private final LongAdder answers = new LongAdder();

    /** The guests that have answered since the last rate. */
    private final Set<Integer> answering = ConcurrentHashMap.newKeySet();

    private final List<Thread> askers = new CopyOnWriteArrayList<>();

    /** Those that this process has started, by their ids. */
    private final Map<Integer, Child> children = new ConcurrentHashMap<>();

    private volatile boolean ending;

    public static void main(String[] arguments) throws Exception {
        if (!Word.fit("shm-host [GUESTS [DIRECTORY]]", arguments, Word.TIMES, Word.FILE)) {
            System.exit(2);
        }
        new ShmHost().run(arguments);
    }

    private void run(String[] arguments) throws Exception {
        int guests = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 2;
        SignalService.shared().prepare(ENDS).join();
        CompletableFuture<SignalInfo> end =
                SignalService.shared().awaitAny(ENDS).toCompletableFuture();
        System.out.println("host pid=" + ProcessHandle.current().pid());
        HostConfig config = HostConfig.builder()
                .onGuest((link, guest) -> {
                    System.out.println("guest " + link.peerId() + " pid=" + guest.pid());
                    askOnThread(link);
                })
                .build();
        // region host
        try (var host = create(arguments, config)) {
            host.onPeerDeath(death -> replace(host, death));
            for (int id = 1; id <= guests; id++) {
                start(host, id);
            }
            printRatesUntil(end);
            stopAsking();
        } // says goodbye to all guests
        // endregion
        for (Child child : children.values()) {
            child.exit().get(10, TimeUnit.SECONDS);
        }
        System.out.println(end.get().signal() + ": all guests have left");
    }

    // region replace
    private void start(dev.carillon.shm.ShmHost host, int id) {
        PeerTicket ticket = host.addPeer(id, LinkConfig.defaults());
        Child child = host.spawn(guestCommand(), ticket);
        System.out.println("guest " + id + " pid=" + child.pid());
        children.put(id, child);
        askOnThread(ticket.link());
    }

    /** On the loop of the host. What a guest has answered before it died is received by the thread that has asked. */
    private void replace(dev.carillon.shm.ShmHost host, PeerDeath death) {
        int id = death.link().peerId();
        System.out.println("guest " + id + " pid=" + death.pid() + " died");
        if (!ending && children.containsKey(id)) {
            start(host, id);
        }
    }
    // endregion

    /** With a directory, guests from elsewhere can attach as well. */
    private static dev.carillon.shm.ShmHost create(String[] arguments, HostConfig config) {
        return arguments.length > 1
                ? dev.carillon.shm.ShmHost.create(Path.of(arguments[1]), config)
                : dev.carillon.shm.ShmHost.create(config);
    }

    private void askOnThread(ShmLink link) {
        Thread asker = new Thread(() -> ask(link), "asks guest " + link.peerId());
        askers.add(asker);
        asker.start();
    }

    // region ask
    private void ask(ShmLink link) {
        // The link of a guest that has left is the program's to close: until then its memory stays.
        try (link) {
            long id = 0;
            while (!ending && !link.peerState().isOver()) {
                id += exchange(link, id);
            }
        } catch (InterruptedException stop) {
            // So it was meant.
        }
    }
    // endregion

    /** Sends some questions, and takes as many answers; returns how many came. */
    // region exchange
    private int exchange(ShmLink link, long firstId) throws InterruptedException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        int sent = 0;
        while (sent < BATCH && link.send(Frame.of(QUESTION, firstId + sent, bytes), PATIENCE) == SendResult.SENT) {
            sent++;
        }
        int received = 0;
        while (received < sent && !ending && !link.peerState().isOver()) {
            if (link.awaitData(PATIENCE)) {
                long expected = firstId + received;
                received += link.poll(answer -> check(answer, expected), 1);
            }
        }
        count(link, received);
        return received;
    }
    // endregion

    private void count(ShmLink link, int received) {
        answers.add(received);
        if (received > 0) {
            answering.add(link.peerId());
        }
    }

    private static void check(Frame answer, long expected) {
        if (answer.type() != ANSWER || answer.id() != expected || answer.length() != BYTES) {
            throw new IllegalStateException(answer + " is not the answer to question " + expected);
        }
    }

    private void printRatesUntil(CompletableFuture<SignalInfo> end) throws Exception {
        while (!end.isDone()) {
            long start = System.nanoTime();
            try {
                end.get(1, TimeUnit.SECONDS);
            } catch (TimeoutException oneSecondLater) {
                long perSecond = answers.sumThenReset() * 1_000_000_000 / (System.nanoTime() - start);
                System.out.println(perSecond + " answers/s from " + answering.size() + " guests");
                answering.clear();
            }
        }
    }

    private void stopAsking() throws InterruptedException {
        ending = true;
        for (Thread asker : askers) {
            asker.join();
        }
    }

    private static Spawn.Builder guestCommand() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return Spawn.command(java, "--enable-native-access=ALL-UNNAMED", ShmGuest.class.getName())
                .environment("CLASSPATH", System.getProperty("java.class.path"));
    }
}
