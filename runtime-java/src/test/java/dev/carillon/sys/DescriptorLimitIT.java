package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.SyscallException;
import dev.carillon.sys.call.Limit;
import dev.carillon.sys.call.SocketCalls;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.sys.layout.SockaddrLayout;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.LoadedClasses;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In a VM of its own, since it runs out of descriptors. */
final class DescriptorLimitIT {
    // r[verify sys.failure]
    @Test
    void runningOutOfDescriptorsSaysWhatToDoAndIsOverWhenSomeAreClosed() {
        // Without these flags the VM opens files for a moment when it likes, and gives their numbers back.
        ChildExit exit = ChildJvm.of(Exhausted.class)
                .vmFlags("-XX:+UseSerialGC", "-XX:-UseDynamicNumberOfCompilerThreads")
                .run(Duration.ofSeconds(30));
        String advice = "this process has as many descriptors as it may; raise the limit (ulimit -n)";
        assertEquals(
                List.of(
                        "eventfd failed: EMFILE (24): " + advice,
                        "socketpair failed: EMFILE (24): " + advice,
                        "accept: EMFILE",
                        "works again"),
                exit.stdout(),
                exit::toString);
        assertEquals(0, exit.code(), exit::toString);
    }

    /** Opens until no more can be opened. */
    static final class Exhausted {
        private Exhausted() {}

        public static void main(String[] args) {
            Sys sys = Sys.get();
            LoadedClasses.of(DescriptorLimitIT.class, LibC.class);
            Fd listening = listening(sys);
            sys.processes().setLimit(Constants.RLIMIT_NOFILE, new Limit(200, 200));
            List<Fd> opened = new ArrayList<>();
            System.out.println(exhaust(sys, opened));
            try {
                sys.sockets().pair(Constants.SOCK_STREAM);
            } catch (SyscallException e) {
                System.out.println(e.getMessage());
            }
            exhaust(sys, opened);
            System.out.println("accept: " + Errno.name(-sys.sockets().accept(listening.acquire())));
            opened.forEach(Fd::close);
            sys.clocks().event(0).close();
            System.out.println("works again");
        }

        /** Again before each attempt, since the VM closes some of its own when it likes. */
        private static String exhaust(Sys sys, List<Fd> opened) {
            try {
                while (true) {
                    opened.add(sys.clocks().event(0));
                }
            } catch (SyscallException e) {
                return String.valueOf(e.getMessage());
            }
        }

        /** With one connection to be accepted. */
        private static Fd listening(Sys sys) {
            SocketCalls sockets = sys.sockets();
            Fd fd = sockets.open(Constants.AF_UNIX, Constants.SOCK_STREAM);
            byte[] name = ("carillon-limit-" + sys.processes().pid()).getBytes(StandardCharsets.UTF_8);
            try (NativeBytes address = NativeBytes.allocate(sys.libc(), SockaddrLayout.STORAGE_SIZE)) {
                int length = SockaddrLayout.Un.putAbstract(address.bytes(), 0, name);
                sockets.bind(fd.acquire(), address.address(), length);
                fd.release();
                sockets.listen(fd.acquire(), 1);
                fd.release();
                Fd client = sockets.open(Constants.AF_UNIX, Constants.SOCK_STREAM);
                sockets.connect(client.acquire(), address.address(), length);
            }
            return fd;
        }
    }
}
