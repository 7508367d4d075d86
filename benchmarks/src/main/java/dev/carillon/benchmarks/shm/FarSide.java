package dev.carillon.benchmarks.shm;

import dev.carillon.benchmarks.worker.Affinity;
import dev.carillon.benchmarks.worker.Stage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The process that receives, seen from the worker: a VM like the worker's own, one for all of its works. */
final class FarSide {
    private static final long PATIENCE_SECONDS = 5;

    private final Process process;
    private final OutputStream requests;
    private final BufferedReader answers;

    private FarSide(Process process) {
        this.process = process;
        requests = process.getOutputStream();
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * How a round ended.
     *
     * @param nanos the clock when the last message had been read
     * @param sum of all stamps
     * @param inOrder whether each message had the number that it must
     */
    record Arrival(long nanos, long sum, boolean inOrder) {}

    /** Starts a main class in a VM with this one's options; its argument is the workload. */
    static FarSide start(Class<?> main, Class<?> workload, Stage stage) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.add(workload.getName());
        // A VM that is started on one core picks another collector, so it pins itself later.
        Affinity.release();
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } finally {
            stage.pinFirst();
        }
        FarSide far = new FarSide(process);
        far.expect("ready", far.read());
        return far;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Has the other end of a work opened, on a core. */
    void open(String work, String address, int core) throws IOException {
        expect("opened", ask("open " + work + " " + core + " " + address));
    }

    /** Has so many messages awaited; returns when the other side has begun. */
    void await(long count) throws IOException {
        expect("begun", ask("receive " + count));
    }

    /** Waits until all have arrived. */
    Arrival arrival() throws IOException {
        String answer = read();
        String[] words = answer.split(" ", -1);
        if (!words[0].equals("arrived") || words.length != 4) {
            throw new IOException("the receiver said: " + answer);
        }
        return new Arrival(Long.parseLong(words[1]), Long.parseLong(words[2]), Boolean.parseBoolean(words[3]));
    }

    /** Has the other end closed. */
    void close() throws IOException {
        expect("closed", ask("close"));
    }

    /** Ends the process: it may be amid a round that will never be over. */
    void end() {
        process.destroyForcibly();
        try {
            process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String ask(String request) throws IOException {
        requests.write((request + "\n").getBytes(StandardCharsets.UTF_8));
        requests.flush();
        return read();
    }

    private String read() throws IOException {
        String answer = answers.readLine();
        if (answer == null) {
            throw new IOException("the receiver died; what it said is on the standard error");
        }
        if (answer.startsWith("skip ")) {
            throw new UnsupportedOperationException(answer.substring("skip ".length()));
        }
        return answer;
    }

    private void expect(String expected, String answer) throws IOException {
        if (!expected.equals(answer)) {
            throw new IOException("the receiver said '" + answer + "' instead of '" + expected + "'");
        }
    }
}
