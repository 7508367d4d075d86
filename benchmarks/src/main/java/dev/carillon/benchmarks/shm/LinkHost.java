package dev.carillon.benchmarks.shm;

import dev.carillon.shm.HostConfig;
import dev.carillon.shm.LinkConfig;
import dev.carillon.shm.ShmGuest;
import dev.carillon.shm.ShmHost;
import dev.carillon.shm.ShmLink;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A host with one guest, which comes through its socket from the other process. */
final class LinkHost implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path folder = SharedFolder.newFile("link");
    private final CompletableFuture<ShmLink> coming = new CompletableFuture<>();
    private final ShmHost host;
    private @Nullable ShmLink link;

    LinkHost(LinkConfig config) throws IOException {
        HostConfig accepting = HostConfig.builder()
                .link(config)
                .onGuest((arrived, guest) -> coming.complete(arrived))
                .build();
        host = ShmHost.create(folder, accepting);
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

    @Override
    public void close() {
        host.close();
    }
}
