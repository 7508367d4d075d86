package dev.carillon.benchmarks.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.benchmarks.model.Placement;
import dev.carillon.benchmarks.worker.Worker;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WorkerRunnerIT {
    private WorkerRunner worker;

    @BeforeEach
    void startAWorker() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = List.of(
                java,
                "-cp",
                System.getProperty("java.class.path"),
                Worker.class.getName(),
                TestWorkload.class.getName());
        worker = WorkerRunner.of(Child.start("test", command), Cores.choose());
    }

    @AfterEach
    void endIt() {
        worker.close();
    }

    @Test
    void aRoundHasTheNumbersOfTheWork() throws Exception {
        assertArrayEquals(new double[] {50}, worker.round("ten-nanos", 5));
        assertArrayEquals(new double[] {1, 2, 3}, worker.round("samples", 3));
    }

    @Test
    void aWorkStaysOpenUntilItIsFinished() throws Exception {
        assertArrayEquals(new double[] {1}, worker.round("counting", 1));
        assertArrayEquals(new double[] {2}, worker.round("counting", 1));
        worker.finish("counting");
        assertArrayEquals(new double[] {1}, worker.round("counting", 1));
    }

    @Test
    void anotherPlaceOpensTheWorkAnew() throws Exception {
        worker.round("counting", 1);
        worker.place(Placement.ONE_CORE);
        assertArrayEquals(new double[] {1}, worker.round("counting", 1));
        assertArrayEquals(new double[] {Cores.choose().first()}, worker.round("core", 1));
    }

    @Test
    void aWorkThatFailsLeavesTheWorkerAlive() throws Exception {
        RunFailure failure = assertThrows(RunFailure.class, () -> worker.round("failing", 1));
        assertTrue(failure.toString().contains("this work fails"), failure.toString());
        assertArrayEquals(new double[] {10}, worker.round("ten-nanos", 1));
    }

    @Test
    void whatThisHostCannotDoIsSkipped() {
        Skipped skipped = assertThrows(Skipped.class, () -> worker.round("impossible", 1));
        assertTrue(skipped.toString().contains("not on this host"), skipped.toString());
    }

    @Test
    void aWorkerThatDiesIsAFailure() {
        RunFailure failure = assertThrows(RunFailure.class, () -> worker.round("dying", 1));
        assertTrue(failure.toString().contains("exit code 7"), failure.toString());
    }

    @Test
    void anUnknownWorkIsAFailure() {
        RunFailure failure = assertThrows(RunFailure.class, () -> worker.round("nonsense", 1));
        assertTrue(failure.toString().contains("work=nonsense is unknown here"), failure.toString());
    }
}
