package dev.carillon.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

// r[verify admin.rate]
final class RequestLimitTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Also across the end of the range of nanoTime. */
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 30 * SECOND);

    private final RequestLimit limit = new RequestLimit(3, Duration.ofMinutes(1), now::get);

    @Test
    void theWindowSlides() {
        assertEquals(0, limit.tryCount("a"));
        now.addAndGet(20 * SECOND);
        assertEquals(0, limit.tryCount("a"));
        assertEquals(0, limit.tryCount("a"));
        assertEquals(40 * SECOND, limit.tryCount("a"));
        now.addAndGet(40 * SECOND - 1);
        assertEquals(1, limit.tryCount("a"));
        now.addAndGet(1);
        assertEquals(0, limit.tryCount("a"));
        assertEquals(20 * SECOND, limit.tryCount("a"));
    }

    @Test
    void whatIsRefusedDoesNotCount() {
        for (int request = 0; request < 100; request++) {
            limit.tryCount("a");
        }
        now.addAndGet(60 * SECOND);
        assertEquals(0, limit.tryCount("a"));
    }

    @Test
    void lookingCountsNothing() {
        for (int look = 0; look < 10; look++) {
            assertEquals(0, limit.wait("a"));
        }
        assertEquals(0, limit.clients());
    }

    @Test
    void whoIsQuietForAWindowIsForgotten() {
        for (int client = 0; client < 100; client++) {
            limit.tryCount("client " + client);
        }
        now.addAndGet(60 * SECOND);
        limit.tryCount("one more");
        assertEquals(1, limit.clients());
    }

    @Test
    void whoComesAgainIsRememberedWhenStrangersFillTheTable() {
        for (int request = 0; request < 3; request++) {
            assertEquals(0, limit.tryCount("regular"));
        }
        for (int stranger = 0; stranger < 3 * RequestLimit.MOST_CLIENTS; stranger++) {
            limit.tryCount("stranger " + stranger);
            assertNotEquals(0, limit.tryCount("regular"));
        }
    }

    @Test
    void aMillionAddressesAreNotRemembered() {
        for (int stranger = 0; stranger < 1_000_000; stranger++) {
            limit.tryCount("stranger " + stranger);
        }
        assertTrue(limit.clients() <= RequestLimit.MOST_CLIENTS, () -> "clients=" + limit.clients());
    }

    @Test
    void aNetworkOfIpv6CountsAsOne() throws Exception {
        Source one = Source.of(InetAddress.getByName("2001:db8:1:2::1"));
        Source neighbour = Source.of(InetAddress.getByName("2001:db8:1:2:ffff::7"));
        Source other = Source.of(InetAddress.getByName("2001:db8:1:3::1"));
        assertEquals(one.network(), neighbour.network());
        assertNotEquals(one.network(), other.network());
        assertNotEquals(one.address(), neighbour.address());
        assertEquals(
                "192.0.2.1",
                Source.of(InetAddress.getByName("::ffff:192.0.2.1")).network());
    }
}
