package dev.carillon.shm.channel;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.channel.CreditWaitWorld.Ending;
import dev.carillon.shm.channel.CreditWaitWorld.Plan;
import dev.carillon.test.Interleavings;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All orders in which a sender can wait for credit while it is granted, refused, or the peer dies; as shipped and wrong on purpose. */
final class CreditWaitTest {
    private static final int FRAMES = Boolean.getBoolean("carillon.stress") ? 8 : 5;

    private final MemoryRegion region = MemoryRegion.anonymous(CreditWaitWorld.SIZE);

    @AfterEach
    void closeRegion() {
        region.close();
    }

    private CreditWaitWorld world(Plan plan, Ending ending, long start) {
        return new CreditWaitWorld(region.bytes(), plan, ending, start, FRAMES);
    }

    // r[verify shm.wakeup.credit-wait] r[verify shm.wait.event-counter]
    @ParameterizedTest
    @EnumSource(Ending.class)
    void inNoOrderDoesASenderSleepThatHasCreditOrNoneToExpect(Ending ending) {
        int states = Interleavings.explore(() -> world(Plan.SHIPPED, ending, 0))
                + Interleavings.explore(() -> world(Plan.SHIPPED, ending, Long.MAX_VALUE - 2))
                + Interleavings.explore(() -> world(Plan.SHIPPED, ending, -3));
        System.out.println("waits for credit, " + ending + ": " + states + " states");
        assertTrue(states > 300, "states=" + states);
    }

    @ParameterizedTest
    @EnumSource(value = Plan.class, mode = EnumSource.Mode.EXCLUDE, names = "SHIPPED")
    void whatIsWrongOnPurposeIsFound(Plan plan) {
        Ending ending = switch (plan) {
            case SLEEP_ON_THE_TOTAL, SECOND_LOOK_AT_CREDIT_ONLY, NO_SIGNAL_AT_THE_END, SIGNAL_BEFORE_THE_END ->
                Ending.RESET;
            case SIGNAL_INSTEAD_OF_RECOVERY -> Ending.DEATH;
            default -> Ending.NONE;
        };
        Optional<String> found = Interleavings.failureOf(() -> world(plan, ending, 0));
        assertTrue(found.isPresent(), () -> plan + ": the search finds nothing");
        assertTrue(found.orElseThrow().contains("the sender sleeps"), found::toString);
    }

    /** Also where this side itself closes the channel. */
    @Test
    void aCloseThatWakesNobodyIsFound() {
        Optional<String> found = Interleavings.failureOf(() -> world(Plan.NO_SIGNAL_AT_THE_END, Ending.CLOSE, 0));
        assertTrue(found.orElse("nothing").contains("the sender sleeps"), found::toString);
    }
}
