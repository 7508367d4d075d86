package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Availability;
import dev.carillon.SyscallException;
import dev.carillon.sys.call.Limit;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.sys.layout.SyscallNumbers;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.LoadedClasses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a machine has is not judged by a moment in which there is no room. */
final class ShortageIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static List<String> linesOf(ChildJvm vm) {
        ChildExit exit = vm.run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        return exit.stdout();
    }

    // r[verify sys.shortage]
    @Test
    void aFeatureThatIsLookedForWithoutADescriptorIsFoundAllTheSame() {
        List<String> found = Stream.of(Feature.values())
                .map(feature -> feature + " " + feature.availability().isAvailable())
                .toList();
        assertEquals(found, linesOf(ChildJvm.of(WithoutDescriptors.class)));
    }

    // r[verify sys.shortage]
    @ParameterizedTest
    @ValueSource(ints = {Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.EAGAIN, Errno.EINTR})
    void noRoomIsNoAnswer(int errno) {
        String asked = "io_uring failed: " + Errno.name(errno);
        assertEquals(
                List.of("eventfd true", asked, "asked again true"),
                linesOf(ChildJvm.of(Refused.class).args(Integer.toString(errno))));
    }

    // r[verify sys.shortage]
    @ParameterizedTest
    @ValueSource(ints = {Errno.EPERM, Errno.ENOSYS})
    void aRefusalIsAnAnswer(int errno) {
        String asked = "io_uring failed: " + Errno.name(errno);
        assertEquals(
                List.of("eventfd false", asked, "asked again false"),
                linesOf(ChildJvm.of(Refused.class).args(Integer.toString(errno))));
    }

    /** Looks for features first when there is no descriptor, then again; what needs none is there both times. */
    static final class WithoutDescriptors {
        private WithoutDescriptors() {}

        public static void main(String[] args) throws Exception {
            Sys sys = Sys.get();
            LoadedClasses.of(ShortageIT.class, LibC.class);
            sys.processes().setLimit(Constants.RLIMIT_NOFILE, new Limit(100, 100));
            List<Fd> taken = new ArrayList<>();
            try {
                while (true) {
                    taken.add(sys.clocks().event(0));
                }
            } catch (SyscallException full) {
                for (Feature feature : Feature.values()) {
                    feature.availability();
                }
            }
            taken.forEach(Fd::close);
            for (Feature feature : Feature.values()) {
                System.out.println(feature + " " + feature.availability().isAvailable());
            }
        }
    }

    /** Some calls fail from the start. */
    static final class Refused {
        private Refused() {}

        public static void main(String[] args) {
            int errno = Integer.parseInt(args[0]);
            Seccomp.refuse(LibC.get(), errno, SyscallNumbers.EVENTFD2, SyscallNumbers.IO_URING_SETUP);
            System.out.println("eventfd " + Feature.EVENTFD.availability().isAvailable());
            String why = String.valueOf(Feature.IO_URING.availability());
            System.out.println(why.substring(why.indexOf("io_uring failed"), why.indexOf(" (")));
            Availability first = Feature.IO_URING.availability();
            Availability second = Feature.IO_URING.availability();
            System.out.println("asked again " + (first != second));
        }
    }
}
