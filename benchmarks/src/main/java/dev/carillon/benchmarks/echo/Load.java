package dev.carillon.benchmarks.echo;

import dev.carillon.benchmarks.worker.Stage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** The load, a program in C that speaks as every yardstick does; it gives up by itself when a server is silent. */
final class Load implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 10;

    private final Process process;
    private final OutputStream requests;
    private final BufferedReader answers;

    /** Starts it on the second side's core; it connects with the first round. */
    Load(String program, EchoServer server, int active, int idle, Stage stage) throws IOException {
        process = new ProcessBuilder(program, server.address(), Integer.toString(active), Integer.toString(idle))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        requests = process.getOutputStream();
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        expect("ready", answers.readLine());
        expect("placed", ask("place " + stage.second() + " " + stage.first()));
    }

    /** Has messages answered; returns the nanoseconds that it took. */
    long round(long ops) throws IOException {
        String answer = ask("run load " + ops);
        if (answer.startsWith("skip ")) {
            throw new UnsupportedOperationException(answer.substring("skip ".length()));
        }
        if (!answer.startsWith("result ")) {
            throw new IOException("the load said: " + answer);
        }
        return (long) Double.parseDouble(answer.substring("result ".length()));
    }

    private String ask(String request) throws IOException {
        requests.write((request + "\n").getBytes(StandardCharsets.UTF_8));
        requests.flush();
        String answer = answers.readLine();
        if (answer == null) {
            throw new IOException("the load died when it was asked '" + request + "'");
        }
        return answer;
    }

    private static void expect(String expected, String answer) throws IOException {
        if (!expected.equals(answer)) {
            throw new IOException("the load said '" + answer + "' instead of '" + expected + "'");
        }
    }

    @Override
    public void close() throws IOException {
        requests.close();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("the load did not end within " + PATIENCE_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
