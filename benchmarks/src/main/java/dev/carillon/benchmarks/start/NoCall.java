package dev.carillon.benchmarks.start;

/** A program that does nothing but print a line. */
final class NoCall {
    private NoCall() {}

    public static void main(String[] args) {
        System.out.println("ready");
    }
}
