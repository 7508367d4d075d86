package dev.carillon.benchmarks.exit;

/** A program with three loops that calls System.exit. */
final class LoopsAndExit {
    private LoopsAndExit() {}

    public static void main(String[] args) {
        ParkedLoops.start();
        System.out.println("ready");
        System.exit(0);
    }
}
