package dev.carillon.benchmarks.exit;

/** A program that prints a line and calls System.exit. */
final class NothingAndExit {
    private NothingAndExit() {}

    public static void main(String[] args) {
        System.out.println("ready");
        System.exit(0);
    }
}
