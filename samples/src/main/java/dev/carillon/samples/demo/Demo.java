package dev.carillon.samples.demo;

import dev.carillon.doctor.CarillonDoctor;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.samples.SharedCounter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A tour of what exists, with real processes; fails where something does not do what it says. */
public final class Demo {
    private static final int TIMES = 1_000_000;

    private Demo() {}

    /**
     * Gives the tour.
     *
     * @param arguments none
     */
    public static void main(String... arguments) throws IOException, InterruptedException {
        System.out.println("1. The doctor looks at this machine");
        try (Program doctor = Program.start(CarillonDoctor.class)) {
            System.out.println("   " + doctor.lastLine());
            expect(doctor.awaitExit() == 0, "the doctor found a problem: see ./carillon doctor");
        }
        Path file = Files.createTempFile(sharedFolder(), "carillon-demo-", ".counter");
        try (MemoryRegion counter = MemoryRegion.openOrCreateFile(file, Long.BYTES)) {
            twoCountTogether(counter, file);
            oneDiesAndAnotherGoesOn(counter, file);
        } finally {
            Files.delete(file);
        }
        System.out.println("Done. Samples: ./carillon sample");
    }

    private static void twoCountTogether(MemoryRegion counter, Path file) throws IOException, InterruptedException {
        System.out.println("2. Two processes count to " + TIMES + " each, in the same eight bytes");
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
        System.out.println("3. One is killed with SIGKILL while it counts; its counts stay, and another goes on");
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

    private static void expect(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }
}
