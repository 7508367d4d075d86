package dev.carillon.test.proc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class DescriptorsTest {
    private static final int LOOKS = 3000;

    @Test
    void anOpenFileIsListedWithItsPath() throws IOException {
        try (FileInputStream file = new FileInputStream("/dev/zero")) {
            assertEquals(0, file.read());
            assertTrue(Descriptors.open().containsValue(Path.of("/dev/zero").toString()));
        }
    }

    /** A number may be closed, and given to another file at once, between listing it and reading what it points to. */
    @Test
    void descriptorsThatComeAndGoDisturbNoLook() throws Exception {
        AtomicBoolean end = new AtomicBoolean();
        CompletableFuture<Void> others = CompletableFuture.runAsync(() -> openAndClose(end));
        try {
            for (int i = 0; i < LOOKS; i++) {
                assertTrue(Descriptors.open().size() >= 3);
            }
        } finally {
            end.set(true);
        }
        others.get(30, TimeUnit.SECONDS);
    }

    private static void openAndClose(AtomicBoolean end) {
        while (!end.get()) {
            try (FileInputStream one = new FileInputStream("/dev/null");
                    FileInputStream two = new FileInputStream("/dev/null")) {
                assertEquals(-2, one.read() + two.read());
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }
}
