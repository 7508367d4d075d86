package dev.carillon.benchmarks.exit;

/** A program that does nothing but print a line. */
final class NothingAndReturn {
    private NothingAndReturn() {}

    public static void main(String[] args) {
        System.out.println("ready");
    }
}
