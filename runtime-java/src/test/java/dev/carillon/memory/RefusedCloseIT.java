package dev.carillon.memory;

import dev.carillon.ClosedException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.LibC;
import dev.carillon.sys.MappingSeal;
import dev.carillon.test.proc.Descriptors;
import java.nio.ByteBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The kernel refuses to take the pages of a sealed mapping away. */
final class RefusedCloseIT {
    // r[verify memory.unmap.unreachable]
    @ParameterizedTest
    @MethodSource("dev.carillon.memory.Vm#all")
    void aMappingThatCannotBeTakenAwayStaysUntilItIsUnreachable(Vm vm) {
        Vm.runToSuccess(vm.of(Sealed.class));
    }

    /** Says so and ends well where the kernel has no mseal. */
    static final class Sealed {
        public static void main(String[] args) {
            MemoryRegion region = MemoryRegion.memfd("immovable", 4_096);
            ByteBuffer buffer = region.buffer();
            OrderedBytes bytes = region.bytes();
            buffer.putInt(0, 42);
            int sealed = MappingSeal.seal(LibC.get(), LibC.get().addressOf(buffer), 4_096);
            if (sealed == -Errno.ENOSYS) {
                System.out.println("skipped: this kernel has no mseal");
                return;
            }
            region.close();
            RegionStats stats = MemoryRegion.stats();
            require(stats.stuck() == 1 && stats.retained() == 1 && stats.open() == 0, stats.toString());
            require(buffer.getInt(0) == 42, "the pages are gone");
            require(isRefused(bytes), "OrderedBytes can still be used");
            require(
                    Descriptors.open().values().stream().noneMatch(target -> target.contains("immovable")),
                    "the descriptor is open");
        }

        private static boolean isRefused(OrderedBytes bytes) {
            try {
                bytes.getInt(0);
                return false;
            } catch (ClosedException expected) {
                return true;
            }
        }

        private static void require(boolean fact, String otherwise) {
            if (!fact) {
                throw new IllegalStateException(otherwise);
            }
        }
    }
}
