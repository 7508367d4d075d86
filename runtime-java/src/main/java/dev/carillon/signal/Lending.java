package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Copies of signals, from the service that has them to services that others wait at.
 *
 * <p>A service that lends is the owner, and sees each signal first. A service that attaches by itself borrows what belongs to
 * a lender: its waits and subscriptions get a copy, if there are any when the signal comes, and it is kept for who
 * listens between two waits ({@link SignalClaim}). Nothing else is kept.
 *
 * <p><b>Threading:</b> any thread, but where the loop's is named.
 */
// r[impl signal.lend]
final class Lending {
    /** A loop that does not come to its copies misses what is beyond this. */
    private static final int UNDER_WAY = 1024;

    private final Borrower self;
    private final AtomicInteger underWay = new AtomicInteger();

    /** Of this one as a lender: who wants copies. */
    private final Map<Signal, List<Lending>> borrowers = new ConcurrentHashMap<>();

    /** Of this one as a borrower. */
    private final Map<Signal, Lending> lenders = new ConcurrentHashMap<>();

    private final AtomicLong borrowed = new AtomicLong();

    /** What a service does with what it borrows. */
    interface Borrower {
        /** Has it done on the loop of the service, or never if that ends. */
        void onLoop(Runnable action);

        /** A copy came; on the loop. */
        void onCopy(SignalInfo info);

        /** There will be no more copies; on the loop. */
        void onLenderGone(Signal signal);
    }

    Lending(Borrower self) {
        this.self = self;
    }

    /** From now on the service gets copies of a signal. On its loop. */
    void borrow(Signal signal, Lending lender) {
        Lending before = lenders.put(signal, lender);
        if (before != lender) {
            borrowed.getAndUpdate(bits -> bits | SignalSet.of(signal).toBits());
            lender.borrowers
                    .computeIfAbsent(signal, anyOne -> new CopyOnWriteArrayList<>())
                    .add(this);
        }
    }

    boolean borrows(Signal signal) {
        return (borrowed.get() & SignalSet.of(signal).toBits()) != 0;
    }

    /** The service has ended: it gets no copies any more. */
    void giveBackAll() {
        lenders.forEach((signal, lender) -> lender.of(signal).remove(this));
        lenders.clear();
        borrowed.set(0);
    }

    private List<Lending> of(Signal signal) {
        return borrowers.getOrDefault(signal, List.of());
    }

    /** A signal came to the lender; on the lender's loop. */
    void copy(SignalInfo info) {
        for (Lending borrower : of(info.signal())) {
            borrower.later(() -> borrower.self.onCopy(info));
        }
    }

    private void later(Runnable action) {
        if (underWay.incrementAndGet() > UNDER_WAY) {
            underWay.decrementAndGet();
            return;
        }
        self.onLoop(() -> {
            underWay.decrementAndGet();
            action.run();
        });
    }

    /**
     * The lender has given these signals up: who waits for one must get it otherwise.
     *
     * @param raise sends one of the left over signals to the process again; called when a borrower that waits for it has it
     */
    void end(SignalSet signals, SignalSet leftOver, Consumer<Signal> raise) {
        for (Signal signal : signals) {
            List<Lending> left = borrowers.getOrDefault(signal, List.of());
            borrowers.remove(signal);
            left.forEach(borrower -> borrower.ended(signal, this));
            if (leftOver.contains(signal)) {
                if (left.isEmpty()) {
                    raise.accept(signal);
                } else {
                    left.get(0).self.onLoop(() -> raise.accept(signal));
                }
            }
        }
    }

    private void ended(Signal signal, Lending lender) {
        self.onLoop(() -> {
            if (lenders.remove(signal, lender)) {
                borrowed.getAndUpdate(bits -> bits & ~SignalSet.of(signal).toBits());
                self.onLenderGone(signal);
            }
        });
    }
}
