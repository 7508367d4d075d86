package dev.carillon.loop;

/** The loop of the whole process. */
final class SharedLoop {
    static final EventLoop LOOP = PollingLoop.openShared(EventLoopOptions.builder()
                    .name("carillon-shared")
                    .daemon(true)
                    .build())
            .start();

    private SharedLoop() {}
}
