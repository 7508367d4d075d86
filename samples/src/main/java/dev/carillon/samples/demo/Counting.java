package dev.carillon.samples.demo;

import static dev.carillon.samples.demo.Demo.expect;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.samples.SharedCounter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The part of the tour with shared memory: processes count in the same eight bytes, and one dies. */
final class Counting {
    private static final int TIMES = 1_000_000;

    private Counting() {}

    static void tour() throws IOException, InterruptedException {
        Path file = Files.createTempFile(sharedFolder(), "carillon-demo-", ".counter");
        try (MemoryRegion counter = MemoryRegion.openOrCreateFile(file, Long.BYTES)) {
            twoCountTogether(counter, file);
            oneDiesAndAnotherGoesOn(counter, file);
        } finally {
            Files.delete(file);
        }
    }

    private static void twoCountTogether(MemoryRegion counter, Path file) throws IOException, InterruptedException {
        System.out.println("5. Two processes count to " + TIMES + " each, in the same eight bytes");
        try (Program one = counting(file, TIMES);
                Program other = counting(file, TIMES)) {
            expect(one.awaitExit() == 0 && other.awaitExit() == 0, "a counting process failed");
        }
        long sum = counter.bytes().getLongAcquire(0);
        System.out.println("   together they counted " + sum);
        expect(sum == 2L * TIMES, "counts were lost: " + sum + " instead of " + 2L * TIMES);
    }

    private static void oneDiesAndAnotherGoesOn(MemoryRegion counter, Path file)
            throws IOException, InterruptedException {
        System.out.println("6. One is killed with SIGKILL while it counts; its counts stay, and another goes on");
        long before = counter.bytes().getLongAcquire(0);
        try (Program victim = counting(file, Integer.MAX_VALUE)) {
            victim.awaitTrue("the victim counts", () -> counter.bytes().getLongAcquire(0) > before + TIMES);
            victim.kill();
            System.out.println("   the killed one exits with " + victim.awaitExit());
        }
        long after = counter.bytes().getLongAcquire(0);
        try (Program next = counting(file, TIMES)) {
            expect(next.awaitExit() == 0, "the next counting process failed");
        }
        long sum = counter.bytes().getLongAcquire(0);
        System.out.println("   it left " + after + ", the next one made it " + sum);
        expect(sum == after + TIMES, "counts were lost: " + sum + " instead of " + (after + TIMES));
    }

    private static Program counting(Path file, int times) throws IOException {
        return Program.start(SharedCounter.class, file.toString(), Integer.toString(times));
    }

    private static Path sharedFolder() {
        Path memory = Path.of("/dev/shm");
        return Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
    }
}
