package dev.carillon.io;

import static dev.carillon.io.OptionSamples.ip;
import static java.net.StandardSocketOptions.IP_MULTICAST_IF;
import static java.net.StandardSocketOptions.IP_MULTICAST_TTL;
import static java.net.StandardSocketOptions.SO_REUSEADDR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups of datagrams. No packet leaves the machine, as none may pass a router or an interface: its time to live is 0. */
// r[verify io.multicast]
abstract class MulticastContract extends LoopCase {
    private @Nullable EventLoop loop;

    private EventLoop loop() {
        if (loop == null) {
            loop = started();
        }
        return loop;
    }

    /** Where multicast is tried: an interface, and an address of it. */
    private record Place(NetworkInterface on, InetAddress own) {}

    /** A group of this process alone: until a socket joins its first group, it hears those that others have joined. */
    private static InetAddress group(boolean six, int last) {
        int own = (int) (ProcessHandle.current().pid() & 0x3fff);
        String four = "239." + (64 + (own >> 8)) + "." + (own & 0xff) + "." + last;
        return ip(six ? "ff05::7a:" + Integer.toHexString(own) + ":" + last : four);
    }

    /** The loopback interface; for IPv6, which knows no route for groups there, any other one, if there is one. */
    private Place place(boolean six) throws Exception {
        NetworkInterface loopback = OptionSamples.loopback();
        if (!six) {
            return new Place(loopback, ip("127.0.0.1"));
        }
        if (reaches(new Place(loopback, ip("::1")))) {
            return new Place(loopback, ip("::1"));
        }
        for (NetworkInterface one : NetworkInterface.networkInterfaces().toList()) {
            InetAddress own = one.inetAddresses()
                    .filter(address -> address instanceof Inet6Address && !address.isLoopbackAddress())
                    .findFirst()
                    .orElse(null);
            if (own != null && one.isUp() && reaches(new Place(one, own))) {
                return new Place(one, own);
            }
        }
        Assumptions.abort("no interface of this machine has a route for IPv6 multicast");
        throw new AssertionError();
    }

    private boolean reaches(Place place) {
        DatagramSocket sender = sender(place, place.own);
        InetSocketAddress to = new InetSocketAddress(group(true, 1), 9);
        return sender.sendAsync(bytes("?"), to)
                .handle((sent, failure) -> failure == null)
                .join();
    }

    private DatagramSocket sender(Place place, InetAddress from) {
        SocketOptions options = SocketOptions.of(IP_MULTICAST_IF, place.on).and(IP_MULTICAST_TTL, 0);
        return closeLater(DatagramSocket.bind(loop(), new InetSocketAddress(from, 0), options));
    }

    private DatagramSocket receiver(boolean six, int port) {
        InetSocketAddress all = new InetSocketAddress(ip(six ? "::" : "0.0.0.0"), port);
        return closeLater(DatagramSocket.bind(loop(), all, SocketOptions.of(SO_REUSEADDR, true)));
    }

    private static int port(DatagramSocket socket) {
        return ((InetSocketAddress) Objects.requireNonNull(socket.localAddress())).getPort();
    }

    private static void send(DatagramSocket from, String text, InetAddress to, DatagramSocket socket) {
        get(from.sendAsync(bytes(text), new InetSocketAddress(to, port(socket))));
    }

    private static String received(DatagramSocket socket) {
        ByteBuffer buffer = ByteBuffer.allocate(64);
        get(socket.receiveAsync(buffer));
        return text(buffer);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsSentToAGroupComesFromTheJoinToTheLeave(boolean six) throws Exception {
        Place place = place(six);
        DatagramSocket receiver = receiver(six, 0);
        DatagramSocket sender = sender(place, place.own);
        InetAddress group = group(six, 1);
        send(sender, "before", group, receiver);
        // The kernel may hand a datagram over a moment later: when this one is there, the one before has gone.
        send(sender, "alone", place.own, receiver);
        assertEquals("alone", received(receiver));
        MulticastMembership membership = receiver.join(group, place.on);
        assertEquals(group, membership.group());
        send(sender, "within", group, receiver);
        assertEquals("within", received(receiver));
        membership.close();
        membership.close();
        send(sender, "behind", group, receiver);
        send(sender, "to one", place.own, receiver);
        assertEquals("to one", received(receiver));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSocketThatHasJoinedHearsNoGroupThatOnlyOthersHaveJoined(boolean six) throws Exception {
        Place place = place(six);
        DatagramSocket one = receiver(six, 0);
        DatagramSocket other = receiver(six, port(one));
        DatagramSocket sender = sender(place, place.own);
        try (MulticastMembership first = one.join(group(six, 1), place.on);
                MulticastMembership second = other.join(group(six, 2), place.on)) {
            assertFalse(one.option(LinuxSocketOptions.IP_MULTICAST_ALL));
            one.option(LinuxSocketOptions.IP_MULTICAST_ALL, true);
            one.join(group(six, 9), place.on).close();
            assertTrue(one.option(LinuxSocketOptions.IP_MULTICAST_ALL), "the first join alone ends that");
            one.option(LinuxSocketOptions.IP_MULTICAST_ALL, false);
            send(sender, "for other", second.group(), one);
            assertEquals("for other", received(other));
            send(sender, "for one", first.group(), one);
            assertEquals("for one", received(one));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMembershipForOneSenderLeavesTheOthersOut(boolean six) throws Exception {
        Place place = place(six);
        DatagramSocket receiver = receiver(six, 0);
        InetAddress stranger = ip(six ? "2001:db8::1" : "127.0.0.2");
        DatagramSocket sender = sender(place, place.own);
        InetAddress group = group(six, 3);
        try (MulticastMembership foreign = receiver.join(group, place.on, stranger)) {
            send(sender, "unheard", group, receiver);
            send(sender, "alone", place.own, receiver);
            assertEquals("alone", received(receiver));
            assertEquals(
                    "group=" + group.getHostAddress() + " on " + place.on.getName() + " from "
                            + stranger.getHostAddress(),
                    foreign.toString());
            try (MulticastMembership own = receiver.join(group, place.on, place.own)) {
                send(sender, "heard", own.group(), receiver);
                assertEquals("heard", received(receiver));
            }
            send(sender, "unheard", group, receiver);
            send(sender, "to one", place.own, receiver);
            assertEquals("to one", received(receiver));
        }
    }

    @Test
    void aSecondJoinIsRefusedAndAfterALeaveTakenAgain() {
        NetworkInterface on = OptionSamples.loopback();
        DatagramSocket socket = receiver(false, 0);
        InetAddress group = group(false, 4);
        MulticastMembership first = socket.join(group, on);
        SyscallException twice = assertThrows(SyscallException.class, () -> socket.join(group, on));
        assertMessage(twice, "is in that group on that interface already");
        IllegalStateException forAll =
                assertThrows(IllegalStateException.class, () -> socket.join(group, on, ip("127.0.0.1")));
        assertMessage(forAll, "for all senders already");
        first.close();
        socket.join(group, on, ip("127.0.0.1")).close();
        socket.join(group, on).close();
    }

    @Test
    void moreGroupsThanASocketMayJoinAreRefusedWithTheReason() {
        DatagramSocket socket = receiver(false, 0);
        SyscallException failure = assertThrows(SyscallException.class, () -> {
            for (int i = 1; i < 100_000; i++) {
                socket.join(ip("239.78." + (i >> 8) + "." + (i & 255)), OptionSamples.loopback());
            }
        });
        assertEquals("ENOBUFS", failure.errnoName());
        assertMessage(failure, "net.ipv4.igmp_max_memberships");
    }

    @Test
    void whatIsNoGroupOfTheSocketIsRefused(@TempDir Path folder) {
        NetworkInterface on = OptionSamples.loopback();
        DatagramSocket four = receiver(false, 0);
        DatagramSocket six = receiver(true, 0);
        DatagramSocket unix = closeLater(DatagramSocket.bind(loop(), UnixDomainSocketAddress.of(folder.resolve("a"))));
        assertRefused("no group", () -> four.join(ip("127.0.0.1"), on));
        assertRefused("not for an IPv4 socket", () -> four.join(group(true, 1), on));
        assertRefused("not for an IPv6 socket", () -> six.join(group(false, 1), on));
        assertRefused("not for a Unix socket", () -> unix.join(group(false, 1), on));
        assertRefused("not for an IPv4 socket", () -> four.join(group(false, 1), on, ip("::1")));
        assertRefused("a group, and no sender", () -> four.join(group(false, 1), on, group(false, 2)));
    }

    private static void assertRefused(String why, org.junit.jupiter.api.function.Executable call) {
        assertMessage(assertThrows(IllegalArgumentException.class, call), why);
    }

    @Test
    void aClosedSocketJoinsNothingAndHasLeftEverything() {
        loop();
        Map<Integer, String> before = Descriptors.ofProgram();
        DatagramSocket socket = receiver(false, 0);
        MulticastMembership membership = socket.join(group(false, 5), OptionSamples.loopback());
        get(socket.closeAsync());
        // The number may be another's now.
        DatagramSocket next = receiver(false, 0);
        membership.close();
        get(next.closeAsync());
        assertThrows(ClosedException.class, () -> socket.join(group(false, 5), OptionSamples.loopback()));
        Deadline.after(LIMIT)
                .await("nothing is left", () -> Descriptors.openedSince(before).isEmpty());
    }
}
