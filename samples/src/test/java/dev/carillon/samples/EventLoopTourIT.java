package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventLoopTourIT {
    @Test
    void theTourSaysWhatTheDocumentPromises() {
        ChildExit exit = ChildJvm.of(EventLoopTour.class).run(Duration.ofSeconds(30));
        assertEquals(0, exit.code(), exit::toString);
        assertEquals(List.of(), exit.stderr());
        for (String line : List.of(
                "on the loop's thread",
                "on the thread that runs the loop",
                "still before the end",
                "tick",
                "welcome, in 7 bytes",
                "read 100000 bytes with one operation",
                "orders: this goes to the error handler",
                "and the loop goes on")) {
            exit.assertPrinted(line);
        }
    }
}
