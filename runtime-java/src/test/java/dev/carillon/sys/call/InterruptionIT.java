package dev.carillon.sys.call;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Jdk;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** In a VM of its own, since it changes what a signal does. */
// r[verify sys.interrupted]
final class InterruptionIT {
    private static final List<String> EVERY_CALL = List.of(
            "raw read: EINTR",
            "read: went on",
            "write: went on",
            "poll: went on",
            "poll until a deadline: went on",
            "accept: went on",
            "open: went on",
            "futex: went on",
            "futex deadline: kept",
            "waitid: went on",
            "epoll: told");

    private static void assertGoesOn(Jdk jdk, String libc) {
        ChildExit exit = ChildJvm.of(InterruptedCalls.class)
                .jdk(jdk)
                .vmFlags("-Dcarillon.libc=" + libc)
                .run(Duration.ofSeconds(60));
        assertEquals(EVERY_CALL, exit.stdout(), exit::toString);
        assertEquals(0, exit.code(), exit::toString);
    }

    @Test
    void interruptedCallsGoOnThroughJna() {
        assertGoesOn(Jdk.current(), "jna");
    }

    @Test
    void interruptedCallsGoOnThroughForeignMemory() {
        Optional<Jdk> jdk = Jdk.second();
        Assumptions.assumeTrue(jdk.isPresent(), "there is no JDK with java.lang.foreign on this machine");
        assertGoesOn(jdk.orElseThrow(), "ffm");
    }
}
