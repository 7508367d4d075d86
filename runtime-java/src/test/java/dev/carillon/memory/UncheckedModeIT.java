package dev.carillon.memory;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Without checked mode, only plain accesses may be misaligned; everything else stays refused. */
final class UncheckedModeIT {
    // r[verify memory.alignment]
    @ParameterizedTest
    @MethodSource("dev.carillon.memory.Vm#all")
    void orderedAccessesAreCheckedInEveryMode(Vm vm) {
        Vm.runToSuccess(vm.of(Misaligned.class).vmFlags("-Dcarillon.checks=false"));
    }

    /** Makes each access at an odd offset, and outside. */
    static final class Misaligned {
        public static void main(String[] args) {
            try (MemoryRegion region = MemoryRegion.anonymous(1)) {
                for (AccessTable access : AccessTable.ALL) {
                    boolean plain = access.name().matches("(get|put)(Byte|Short|Int|Long)");
                    require(plain == isAllowed(access, region.bytes(), 1), access + " at 1");
                    require(!isAllowed(access, region.bytes(), region.size()), access + " at the end");
                    require(!isAllowed(access, region.bytes(), -access.size()), access + " before the start");
                }
            }
        }

        private static boolean isAllowed(AccessTable access, OrderedBytes bytes, int offset) {
            try {
                access.at(bytes, offset);
                return true;
            } catch (IllegalArgumentException | IndexOutOfBoundsException refused) {
                return false;
            }
        }

        private static void require(boolean fact, String what) {
            if (!fact) {
                throw new IllegalStateException(what);
            }
        }
    }
}
