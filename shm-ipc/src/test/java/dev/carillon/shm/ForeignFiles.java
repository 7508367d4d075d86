package dev.carillon.shm;

import dev.carillon.test.Deadline;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A thread that opens and closes files all the time: what else closes a descriptor has its number taken at once. */
final class ForeignFiles implements AutoCloseable {
    static final String PATH = "/dev/zero";

    private static final int AT_ONCE = 6;

    private final Thread thread = new Thread(this::openAndClose, "foreign files");
    private volatile boolean ended;

    ForeignFiles() {
        thread.setDaemon(true);
        thread.start();
    }

    private void openAndClose() {
        try {
            while (!ended) {
                List<FileInputStream> open = new ArrayList<>();
                for (int i = 0; i < AT_ONCE; i++) {
                    open.add(new FileInputStream(PATH));
                }
                LockSupport.parkNanos(1);
                for (FileInputStream each : open) {
                    each.close();
                }
            }
        } catch (IOException failure) {
            throw new IllegalStateException("no descriptor is left", failure);
        }
    }

    @Override
    public void close() {
        ended = true;
        Deadline.after(LinkPair.LIMIT).await("it has ended", () -> !thread.isAlive());
    }
}
