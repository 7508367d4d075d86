package dev.carillon.benchmarks.exit;

/** A program with three loops, whose main comes to its end. */
final class LoopsAndReturn {
    private LoopsAndReturn() {}

    public static void main(String[] args) {
        ParkedLoops.start();
        System.out.println("ready");
    }
}
