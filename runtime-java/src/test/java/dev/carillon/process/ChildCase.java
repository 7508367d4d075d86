package dev.carillon.process;

import dev.carillon.loop.EventLoop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A running loop per test. */
abstract class ChildCase {
    EventLoop loop = EventLoop.open();

    @BeforeEach
    void startLoop() {
        loop.start();
    }

    @AfterEach
    void closeLoop() {
        loop.close();
    }
}
