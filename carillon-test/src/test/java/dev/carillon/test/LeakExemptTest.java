package dev.carillon.test;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

// region exempt
@LeakExempt(kinds = LeakKind.THREAD, why = "a driver's timer thread lives as long as the VM")
class LeakExemptTest {
    // endregion
    @Test
    void anExemptThreadMayStay() {
        Thread timer = new Thread(LockSupport::park, "exempt-timer");
        timer.setDaemon(true);
        timer.start();
        assertTrue(timer.isDaemon());
    }
}
