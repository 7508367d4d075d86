package dev.carillon.signal;

import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Remembers what it was told. */
final class TestWaiter extends SignalWaiter {
    final List<SignalInfo> got = new ArrayList<>();
    volatile @Nullable RuntimeException failure;
    volatile boolean isTimedOut;
    private final boolean refuses;

    TestWaiter(SignalSet signals) {
        this(signals, false);
    }

    /** One that gives back what it gets, if it refuses. */
    TestWaiter(SignalSet signals, boolean refuses) {
        super(signals);
        this.refuses = refuses;
    }

    @Override
    protected void onSignal(SignalInfo info) {
        if (refuses) {
            giveBack();
        } else {
            got.add(info);
        }
    }

    @Override
    protected void onFailure(RuntimeException cause) {
        failure = cause;
    }

    @Override
    protected void onTimeout() {
        isTimedOut = true;
    }
}
