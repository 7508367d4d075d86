package dev.carillon.loop;

import org.jspecify.annotations.Nullable;

/** The loop of the whole process, made when it is first asked for, and asked for again where it could not be made. */
// r[impl sys.no-native]
final class SharedLoop {
    private static volatile @Nullable EventLoop loop;

    private SharedLoop() {}

    static EventLoop get() {
        EventLoop known = loop;
        return known != null ? known : make();
    }

    private static synchronized EventLoop make() {
        EventLoop known = loop;
        if (known == null) {
            EventLoopOptions options = EventLoopOptions.builder()
                    .name("carillon-shared")
                    .daemon(true)
                    .build();
            known = PollingLoop.openShared(options).start();
            loop = known;
        }
        return known;
    }
}
