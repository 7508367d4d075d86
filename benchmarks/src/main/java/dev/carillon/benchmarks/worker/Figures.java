package dev.carillon.benchmarks.worker;

import java.util.Arrays;

/** The numbers of one round, and a sink for results that the compiler must not drop. */
public final class Figures {
    private double[] numbers = new double[16];
    private int count;
    private volatile long sink;

    /** Adds nanoseconds: a total or a sample, as the case says. */
    public void nanos(long nanos) {
        value((double) nanos);
    }

    /** Adds a figure that is in the case's unit already. */
    public void value(double number) {
        if (count == numbers.length) {
            numbers = Arrays.copyOf(numbers, count * 2);
        }
        numbers[count++] = number;
    }

    /** Uses a value, so that the loop which computed it stays. */
    public void consume(long value) {
        sink = value;
    }

    /** Returns what was consumed last. */
    public long consumed() {
        return sink;
    }

    /** Makes room beforehand, so that adding samples allocates nothing. */
    public void expect(int samples) {
        if (numbers.length < samples) {
            numbers = Arrays.copyOf(numbers, samples);
        }
    }

    /** Forgets all numbers. */
    public void clear() {
        count = 0;
    }

    String line() {
        StringBuilder line = new StringBuilder("result");
        for (int i = 0; i < count; i++) {
            line.append(' ');
            double number = numbers[i];
            if (number == Math.rint(number) && Math.abs(number) < 1e15) {
                line.append((long) number);
            } else {
                line.append(number);
            }
        }
        return line.toString();
    }
}
