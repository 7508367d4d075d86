package dev.carillon.loop;

import org.jspecify.annotations.Nullable;

/**
 * The loop of the whole process. The first call makes it. A later call makes another one if that failed, or an error has
 * ended the loop.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl loop.shared] r[impl sys.no-native]
final class SharedLoop {
    private static volatile @Nullable EventLoop present;

    private SharedLoop() {}

    static EventLoop get() {
        EventLoop loop = present;
        return loop != null && !loop.hasFailed() ? loop : replaced();
    }

    private static synchronized EventLoop replaced() {
        EventLoop before = present;
        if (before != null && !before.hasFailed()) {
            return before;
        }
        EventLoop fresh = EventLoop.openShared(
                EventLoopOptions.builder().name("carillon-shared").daemon(true).build());
        try {
            fresh.start();
        } catch (RuntimeException | Error noThread) {
            fresh.discard();
            throw noThread;
        }
        present = fresh;
        if (before != null) {
            LoopLog.warn("The shared event loop has ended by an error; a new one has taken its place");
        }
        return fresh;
    }
}
