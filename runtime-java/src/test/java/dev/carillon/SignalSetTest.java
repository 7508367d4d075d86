package dev.carillon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Seeded;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class SignalSetTest {
    @Test
    void aSetHasWhatWasPutIn() {
        SignalSet set = SignalSet.of(Signal.SIGTERM, Signal.SIGINT);
        assertTrue(set.contains(Signal.SIGTERM));
        assertFalse(set.contains(Signal.SIGHUP));
        assertEquals(2, set.size());
        assertEquals(List.of(Signal.SIGINT, Signal.SIGTERM), new ArrayList<>(set));
        assertEquals("{SIGINT, SIGTERM}", set.toString());
        assertEquals(1L << 1 | 1L << 14, set.toBits());
    }

    @Test
    void operationsLeaveTheSetAsItWas() {
        SignalSet set = SignalSet.of(Signal.SIGTERM);
        assertEquals(SignalSet.of(Signal.SIGTERM, Signal.SIGINT), set.plus(Signal.SIGINT));
        assertEquals(SignalSet.empty(), set.minus(Signal.SIGTERM));
        assertEquals(Set.of(Signal.SIGTERM), set);
        assertThrows(UnsupportedOperationException.class, () -> set.add(Signal.SIGINT));
        assertThrows(UnsupportedOperationException.class, set::clear);
    }

    @Test
    void anySetBehavesLikeASetOfTheSameElements(@Seeded SplittableRandom random) {
        for (int round = 0; round < 1_000; round++) {
            SignalSet a = SignalSet.ofBits(random.nextLong());
            SignalSet b = SignalSet.ofBits(random.nextLong());
            TreeSet<Signal> union = new TreeSet<>(a);
            union.addAll(b);
            TreeSet<Signal> rest = new TreeSet<>(a);
            rest.removeAll(b);
            assertEquals(union, a.plus(b));
            assertEquals(rest, a.minus(b));
            assertEquals(a, SignalSet.copyOf(new TreeSet<>(a)));
            assertEquals(new TreeSet<>(a).hashCode(), a.hashCode());
        }
    }

    @Test
    void theWholeSetHasAllSignals() {
        assertEquals(64, SignalSet.all().size());
        assertTrue(SignalSet.all().contains(Signal.of(64)));
        assertTrue(SignalSet.empty().isEmpty());
        SignalSet all = SignalSet.all();
        assertSame(all, SignalSet.copyOf(all));
    }

    @Test
    void anIteratorEnds() {
        Iterator<Signal> one = SignalSet.of(Signal.SIGHUP).iterator();
        one.next();
        assertFalse(one.hasNext());
        assertThrows(NoSuchElementException.class, one::next);
    }
}
