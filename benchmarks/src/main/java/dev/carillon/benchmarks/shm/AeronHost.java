package dev.carillon.benchmarks.shm;

import io.aeron.Aeron;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.AgentInvoker;
import org.jspecify.annotations.Nullable;

/** Aeron's driver in the process that sends first; it has no thread of its own, but while the ends are being opened. */
final class AeronHost implements AutoCloseable {
    /** Between two rounds nobody calls the driver. */
    private static final long NEVER_NANOS = TimeUnit.HOURS.toNanos(10);

    private static final long NEVER_MILLIS = TimeUnit.HOURS.toMillis(10);
    private static final long OPENING_PAUSE_NANOS = 100_000;

    private final MediaDriver driver = MediaDriver.launchEmbedded(new MediaDriver.Context()
            .threadingMode(ThreadingMode.INVOKER)
            .dirDeleteOnShutdown(true)
            .driverTimeoutMs(NEVER_MILLIS)
            .clientLivenessTimeoutNs(NEVER_NANOS)
            .publicationUnblockTimeoutNs(2 * NEVER_NANOS));
    private final AgentInvoker driverCalls = driver.sharedAgentInvoker();
    private final Aeron aeron = Aeron.connect(new Aeron.Context()
            .aeronDirectoryName(driver.aeronDirectoryName())
            .driverTimeoutMs(NEVER_MILLIS)
            .useConductorAgentInvoker(true)
            .driverAgentInvoker(driverCalls));
    private @Nullable Thread opening;

    /** Aeron in the other process. */
    static Aeron guestOf(String address) {
        return Aeron.connect(new Aeron.Context().aeronDirectoryName(address).driverTimeoutMs(NEVER_MILLIS));
    }

    String address() {
        return driver.aeronDirectoryName();
    }

    Aeron aeron() {
        return aeron;
    }

    /** The other process needs the driver while it opens its ends. */
    void serveUntil(BooleanSupplier areConnected) {
        Thread serving = new Thread(() -> serve(areConnected), "aeron-opening");
        serving.setDaemon(true);
        serving.start();
        opening = serving;
    }

    private void serve(BooleanSupplier areConnected) {
        while (!areConnected.getAsBoolean() && !Thread.currentThread().isInterrupted()) {
            driverCalls.invoke();
            aeron.conductorAgentInvoker().invoke();
            LockSupport.parkNanos(OPENING_PAUSE_NANOS);
        }
    }

    /** From here on the caller's thread calls the driver. */
    void awaitConnected() throws InterruptedException {
        Thread serving = opening;
        if (serving != null) {
            serving.join();
            opening = null;
        }
    }

    /** Gives the driver a turn, which cleans terms. */
    void callDriver() {
        driverCalls.invoke();
    }

    @Override
    public void close() {
        Thread serving = opening;
        if (serving != null) {
            serving.interrupt();
            try {
                serving.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        aeron.close();
        driver.close();
    }
}
