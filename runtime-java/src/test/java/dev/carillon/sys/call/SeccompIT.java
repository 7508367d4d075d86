package dev.carillon.sys.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.Feature;
import dev.carillon.sys.LibC;
import dev.carillon.sys.Seccomp;
import dev.carillon.sys.layout.Constants;
import dev.carillon.sys.layout.SyscallNumbers;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a container's profile takes away is found missing, and done without. */
final class SeccompIT {
    // r[verify sys.probe]
    // r[verify sys.epoll-timeout]
    @ParameterizedTest
    @ValueSource(ints = {Errno.ENOSYS, Errno.EPERM})
    void callsThatAProfileHidesAreDoneWithout(int errno) {
        ChildExit exit =
                ChildJvm.of(Contained.class).args(Integer.toString(errno)).run(Duration.ofSeconds(30));
        assertEquals(0, exit.code(), exit::toString);
        List<String> lines = exit.stdout();
        String failed = " failed: " + Errno.name(errno) + " (" + errno + ")";
        assertTrue(lines.get(0).startsWith("epoll_pwait2 is not available: epoll_pwait2" + failed), exit::toString);
        assertTrue(lines.get(0).endsWith("it came with Linux 5.11" + advice(errno)), exit::toString);
        assertTrue(lines.get(1).startsWith("openat2 is not available: openat2" + failed), exit::toString);
        assertEquals(List.of("waited", "opened"), lines.subList(2, 4));
    }

    private static String advice(int errno) {
        return errno == Errno.ENOSYS
                ? "; the kernel is too old for this call, or a container's seccomp profile hides it"
                : "";
    }

    /** Lives without two calls. */
    static final class Contained {
        private static final long NANOS = 300_000;

        private Contained() {}

        public static void main(String[] args) {
            Seccomp.refuse(LibC.get(), Integer.parseInt(args[0]), SyscallNumbers.EPOLL_PWAIT2, SyscallNumbers.OPENAT2);
            System.out.println(Feature.EPOLL_PWAIT2.availability());
            System.out.println(Feature.OPENAT2.availability());
            try (Epoll epoll = Sys.get().epoll(4)) {
                long begin = System.nanoTime();
                if (epoll.await(NANOS) == 0 && System.nanoTime() - begin >= NANOS) {
                    System.out.println("waited");
                }
            }
            try (Fd file = Sys.get().files().open("/dev/null", Constants.O_RDONLY, 0)) {
                System.out.println(file.isOpen() ? "opened" : "closed");
            }
        }
    }
}
