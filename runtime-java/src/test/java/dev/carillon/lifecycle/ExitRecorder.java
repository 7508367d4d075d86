package dev.carillon.lifecycle;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Takes down exits instead of leaving. */
final class ExitRecorder implements ExitHook {
    final BlockingQueue<String> calls = new LinkedBlockingQueue<>();

    @Override
    public void exit(int code) {
        calls.add("exit " + code);
    }

    @Override
    public void halt(int code) {
        calls.add("halt " + code);
    }
}
