package dev.carillon.shm.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.shm.HostConfig;
import dev.carillon.shm.LinkConfig;
import dev.carillon.shm.ShmGuest;
import dev.carillon.shm.ShmHost;
import dev.carillon.shm.ShmLink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two look at once at a directory in which hosts and guests come and go: each look is a screen or a sentence. */
// r[verify shm.inspect]
final class ComingHostsTest {
    private static final int HOSTS = 40;
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final LinkConfig SMALL =
            LinkConfig.builder().ring(8).slots(1024, 2).channels(8).build();

    @TempDir
    private Path folder;

    private final AtomicBoolean over = new AtomicBoolean();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachLookIsAScreenOrASentence(boolean inFiles) throws Exception {
        Path directory = folder.resolve("host");
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<AtomicInteger> shown = List.of(new AtomicInteger(), new AtomicInteger());
            List<Future<?>> looks = new ArrayList<>();
            for (AtomicInteger each : shown) {
                looks.add(threads.submit(() -> look(directory.toString(), each)));
            }
            // A busy machine may run one of the two between hosts only, so they come until each has seen a link.
            for (int i = 0; i < HOSTS || shown.stream().anyMatch(each -> each.get() == 0); i++) {
                comeAndGo(directory, inFiles);
                for (Future<?> each : looks) {
                    if (each.isDone()) {
                        each.get(); // throws what it has failed with
                    }
                }
            }
            over.set(true);
            for (Future<?> each : looks) {
                each.get();
            }
        } finally {
            over.set(true);
            threads.shutdown();
        }
    }

    private static void comeAndGo(Path directory, boolean inFiles) throws Exception {
        CompletableFuture<ShmLink> arrived = new CompletableFuture<>();
        HostConfig.Builder config = HostConfig.builder().link(SMALL).onGuest((link, guest) -> arrived.complete(link));
        if (inFiles) {
            config.inFiles();
        }
        try (ShmHost host = ShmHost.create(directory, config.build())) {
            for (int i = 0; i < 3; i++) {
                host.addPeer(SMALL);
            }
            ShmGuest.connect(directory, LIMIT).close();
            arrived.get().close();
        }
    }

    private void look(String directory, AtomicInteger shown) {
        LinkReader reader = new LinkReader();
        while (!over.get()) {
            try {
                Screen screen = reader.read(LinkFinder.find(directory));
                assertEquals(0, screen.exitCode(), () -> LinkReport.of(screen));
                shown.addAndGet(screen.links().size());
            } catch (NotShownException sentence) {
                assertEquals(NotShownException.NOTHING, sentence.code(), sentence::getMessage);
            }
        }
    }
}
