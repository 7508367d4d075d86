package dev.carillon.benchmarks.shm;

import dev.carillon.shm.HostConfig;
import dev.carillon.shm.LinkConfig;
import dev.carillon.shm.ShmGuest;
import dev.carillon.shm.ShmHost;
import dev.carillon.shm.ShmLink;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A host with one guest, which comes through its socket from the other process; others may have come before. */
final class LinkHost implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path folder = SharedFolder.newFile("link");
    private final CompletableFuture<ShmLink> coming = new CompletableFuture<>();
    private final BlockingQueue<ShmLink> others = new LinkedBlockingQueue<>();
    private final AtomicInteger arrived = new AtomicInteger();
    private final ShmHost host;
    private @Nullable ShmLink link;
    private @Nullable OtherGuests company;

    LinkHost(LinkConfig config) throws IOException {
        this(config, config, 0);
    }

    /**
     * One with many guests, all of them watched.
     *
     * @param config of the one that comes last
     * @param ofOthers the link that the others get
     * @param count how many others come first
     */
    LinkHost(LinkConfig config, LinkConfig ofOthers, int count) throws IOException {
        AtomicInteger asked = new AtomicInteger();
        HostConfig accepting = HostConfig.builder()
                .linkFor(guest -> asked.getAndIncrement() < count ? ofOthers : config)
                .onGuest((link, guest) -> arrived(link, count))
                .build();
        host = ShmHost.create(folder, accepting);
        if (count > 0) {
            host.onPeerDeath(death -> coming.completeExceptionally(new IOException("a guest has died: " + death)));
        }
    }

    private void arrived(ShmLink guest, int count) {
        if (arrived.getAndIncrement() < count) {
            others.add(guest);
        } else {
            coming.complete(guest);
        }
    }

    /** The link to one of the others, each once. */
    ShmLink other() throws Exception {
        ShmLink next = others.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (next == null) {
            throw new TimeoutException("no other guest has come");
        }
        return next;
    }

    /** What the guest needs to come. */
    String address() {
        return folder.toString();
    }

    /** The link of the other process to the host at an address. */
    static ShmLink guestOf(String address) throws IOException, InterruptedException {
        return ShmGuest.connect(Path.of(address), PATIENCE);
    }

    /** The link to the guest, when that has come. */
    ShmLink link() throws Exception {
        ShmLink open = link;
        if (open == null) {
            open = coming.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            link = open;
        }
        return open;
    }

    /** They live as long as this. */
    void with(OtherGuests guests) {
        company = guests;
    }

    @Override
    public void close() {
        try {
            if (company != null) {
                company.close();
            }
        } finally {
            host.close();
        }
    }
}
