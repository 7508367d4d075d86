package dev.carillon.futex;

import dev.carillon.sys.call.Sys;

final class KernelTruncatedWordTest extends TruncatedWordContract {
    @Override
    WordSleep sleep() {
        return new KernelSleep(Sys.get().futexes());
    }

    @Override
    boolean isAsleep(Thread thread) {
        return Waiting.isInKernel(thread);
    }
}
