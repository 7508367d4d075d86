package dev.carillon.benchmarks.start;

import dev.carillon.sys.LibC;

/** A program that makes one system call through our door and prints a line. */
final class FirstCall {
    private FirstCall() {}

    public static void main(String[] args) {
        System.out.println(LibC.get().getppid() > 0 ? "ready" : "no parent");
    }
}
