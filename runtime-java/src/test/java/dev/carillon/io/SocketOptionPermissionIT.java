package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.proc.Descriptors;
import java.net.SocketOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Options that need a capability, in a process of a user that has none. */
final class SocketOptionPermissionIT {
    private static final int NOBODY = 65_534;

    // r[verify io.options]
    @Test
    void anotherUserIsToldWhichCapabilityItLacks() throws Exception {
        Assumptions.assumeTrue(
                Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "only root can start another user");
        try (ChildProcess child = ChildJvm.of(Nobody.class).user(NOBODY, NOBODY).start()) {
            ChildExit exit = child.awaitExit(Duration.ofSeconds(30));
            assertEquals(
                    List.of(
                            "setsockopt failed: EPERM (1): option=SO_MARK, value=7: a mark needs CAP_NET_ADMIN, or"
                                    + " CAP_NET_RAW from Linux 5.17 on",
                            "setsockopt failed: EPERM (1): option=IP_TRANSPARENT, value=true: needs CAP_NET_ADMIN or"
                                    + " CAP_NET_RAW",
                            "setsockopt failed: EPERM (1): option=SO_PRIORITY, value=7: more than 6 needs CAP_NET_ADMIN",
                            "setsockopt failed: EPERM (1): option=SO_BINDTODEVICE, value=: to change the interface of a"
                                    + " socket needs CAP_NET_RAW, before Linux 5.7 also to set the first one; open"
                                    + " another socket, or give the program that capability",
                            "left={}"),
                    exit.stdout(),
                    exit::toString);
        }
    }

    static final class Nobody {
        public static void main(String[] args) {
            try (EventLoop loop = EventLoop.open().start()) {
                ServerSocket.bind(loop, LoopCase.localFour()).closeAsync().join();
                Map<Integer, String> before = Descriptors.ofProgram();
                refused(loop, LinuxSocketOptions.SO_MARK, 7);
                refused(loop, LinuxSocketOptions.IP_TRANSPARENT, true);
                refused(loop, LinuxSocketOptions.SO_PRIORITY, 7);
                SocketOptions bound = SocketOptions.of(LinuxSocketOptions.SO_BINDTODEVICE, "lo");
                DatagramSocket socket = DatagramSocket.bind(loop, LoopCase.localFour(), bound);
                try {
                    socket.option(LinuxSocketOptions.SO_BINDTODEVICE, "");
                } catch (SyscallException failure) {
                    System.out.println(failure.getMessage());
                }
                socket.closeAsync().join();
                System.out.println("left=" + Descriptors.openedSince(before));
            }
        }

        private static <T> void refused(EventLoop loop, SocketOption<T> option, T value) {
            try {
                ServerSocket.bind(loop, LoopCase.localFour(), SocketOptions.of(option, value))
                        .close();
                System.out.println(option + " was set");
            } catch (SyscallException failure) {
                System.out.println(failure.getMessage());
            }
        }
    }
}
