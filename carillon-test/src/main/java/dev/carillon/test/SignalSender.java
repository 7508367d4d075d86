package dev.carillon.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Supplier;

/** Sends signals through the shell's {@code kill}, which every Linux has. */
final class SignalSender {
    private static final Duration TO_SEND = Duration.ofSeconds(30);

    private final Supplier<String> reportOfTarget;

    SignalSender(Supplier<String> reportOfTarget) {
        this.reportOfTarget = reportOfTarget;
    }

    /** Returns the pid of the sender. */
    long send(String signal, long pid) {
        ProcessBuilder kill = new ProcessBuilder("sh", "-c", "kill -\"$1\" \"$2\"", "kill", signal, Long.toString(pid));
        try {
            Process process = kill.redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Deadline.after(TO_SEND).await("kill has ended", () -> !process.isAlive());
            if (process.exitValue() != 0) {
                throw new AssertionError("Cannot send " + signal + " to pid " + pid + ": " + output.strip() + "\n"
                        + reportOfTarget.get());
            }
            return process.pid();
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot run sh to send " + signal + " to pid " + pid, failure);
        }
    }
}
