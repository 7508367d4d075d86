package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.Deadline;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Completions that are taken back by the one who started the operation. */
abstract class TakeContract extends LoopCase {
    // r[verify io.take]
    @Test
    void aCompletionThatWasTakenIsNotCalled() {
        EventLoop loop = started();
        StreamSocket left = pair(loop).get(0);
        List<String> completed = new ArrayList<>();
        assertTrue(on(loop, () -> {
            Operation write = Operation.of(done -> completed.add("write"));
            left.writeSome(bytes("x"), write);
            boolean taken = write.tryTake() && !write.isPending() && write.result() == 1 && !write.tryTake();
            left.writeSome(bytes("yz"), write);
            return taken && write.tryTake() && write.result() == 2;
        }));
        Operation read = Operation.of(done -> completed.add("read " + done.result()));
        assertFalse(on(loop, () -> {
            left.readSome(ByteBuffer.allocate(1), read);
            return read.tryTake();
        }));
        assertFalse(read.tryTake(), "on another thread");
        read.cancel();
        Deadline.after(LIMIT).await("it is completed", () -> on(loop, () -> !completed.isEmpty()));
        assertEquals(List.of("read 0"), on(loop, () -> List.copyOf(completed)));
    }

    // r[verify io.take]
    @Test
    void aBatchOfCompletionsIsTakenInOneIteration() {
        EventLoop loop = open(options().batch(8));
        List<StreamSocket> sockets = List.of(pair(loop).get(0), pair(loop).get(0));
        loop.start();
        List<Integer> taken = on(loop, () -> {
            List<Integer> numbers = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                Operation write = Operation.of(done -> {});
                sockets.get(i % 2).writeSome(bytes("x"), write);
                if (write.tryTake()) {
                    numbers.add(i);
                }
            }
            return numbers;
        });
        assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7), taken);
    }
}
