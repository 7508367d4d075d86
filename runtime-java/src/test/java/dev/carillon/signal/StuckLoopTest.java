package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Takes the ten seconds for which an attach waits. */
class StuckLoopTest extends SignalCase {
    StuckLoopTest() {
        super(CaptureKind.AUTO);
    }

    private long handler() {
        return sys().signals().action(URG.number()).handler();
    }

    @Test
    void aStuckLoopFailsTheAttachAndGetsNothingLater() {
        EventLoop loop = started();
        AtomicBoolean isOver = new AtomicBoolean();
        loop.execute(() -> {
            while (!isOver.get()) {
                Thread.onSpinWait();
            }
        });
        long before = handler();
        try {
            IllegalStateException stuck = assertThrows(IllegalStateException.class, () -> attach(loop, URG));
            assertTrue(String.valueOf(stuck.getMessage()).contains("did not come to it"), stuck.toString());
        } finally {
            isOver.set(true);
        }
        assertEquals(true, on(loop, () -> true));
        assertEquals(before, handler());
        attach(loop, URG);
    }
}
