package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unix sockets that another user must not reach. */
final class PermissionIT {
    private static final int NOBODY = 65_534;

    // r[verify io.connect]
    @Test
    void anotherUserIsToldWhatItMayNotDo(@TempDir Path folder) throws Exception {
        Assumptions.assumeTrue(
                Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "only root can start another user");
        open(folder, "rwxr-xr-x");
        Path socket = folder.resolve("socket");
        Path closed = Files.createDirectory(folder.resolve("closed"));
        try (EventLoop loop = EventLoop.open().start();
                ServerSocket first = ServerSocket.bind(loop, UnixDomainSocketAddress.of(socket));
                ServerSocket second = ServerSocket.bind(loop, UnixDomainSocketAddress.of(closed.resolve("socket")))) {
            open(socket, "rw-------");
            open(closed, "rwx------");
            open(closed.resolve("socket"), "rwxrwxrwx");
            assertTrue(first.isOpen() && second.isOpen());
            try (ChildProcess child = ChildJvm.of(Nobody.class)
                    .user(NOBODY, NOBODY)
                    .workingDirectory(folder)
                    .args(
                            socket.toString(),
                            closed.resolve("socket").toString(),
                            folder.resolve("mine").toString())
                    .start()) {
                ChildExit exit = child.awaitExit(Duration.ofSeconds(30));
                String may = ": this user may not write to that socket, or not enter a directory above it";
                assertEquals(
                        List.of(
                                "connect failed: EACCES (13): to " + socket + may,
                                "connect failed: EACCES (13): to " + closed.resolve("socket") + may,
                                "bind failed: EACCES (13): address=" + folder.resolve("mine")
                                        + ": this user may not create files in that directory"),
                        exit.stdout(),
                        exit::toString);
            }
        }
    }

    private static void open(Path path, String permissions) throws Exception {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    static final class Nobody {
        public static void main(String[] args) {
            try (EventLoop loop = EventLoop.open().start()) {
                for (int i = 0; i < 2; i++) {
                    Throwable failure =
                            LoopCase.failureOf(StreamSocket.connect(loop, UnixDomainSocketAddress.of(args[i])));
                    System.out.println(failure.getMessage());
                }
                ServerSocket.bind(loop, UnixDomainSocketAddress.of(args[2])).close();
                System.out.println("bound");
            } catch (dev.carillon.SyscallException failure) {
                System.out.println(failure.getMessage());
            }
        }
    }
}
