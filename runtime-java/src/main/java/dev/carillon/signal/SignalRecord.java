package dev.carillon.signal;

import dev.carillon.SignalInfo;

/**
 * A signal that came, with its place among all that came.
 *
 * @param sequence grows with each arrival at a service; a record that is given back takes its place by it
 * @param arrived when the loop learnt of it, System.nanoTime()
 */
record SignalRecord(SignalInfo info, long sequence, long arrived) {
    int number() {
        return info.signal().number();
    }
}
