package dev.carillon.memory;

import dev.carillon.sys.LibC;
import dev.carillon.test.Ballast;
import dev.carillon.test.LoadedClasses;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The first long copy of a process, for which more of java.lang.foreign is loaded, while there is no stack, or no heap. */
final class LongCopyRoomIT {
    static List<Vm> vms() {
        return Vm.all();
    }

    // r[verify memory.long-copy]
    @ParameterizedTest
    @MethodSource("vms")
    void atTheEndOfTheStackItIsMadeOrOverflowsAndLaterOnesAreMade(Vm vm) {
        Vm.runToSuccess(vm.of(Deep.class));
    }

    // r[verify memory.long-copy]
    @ParameterizedTest
    @MethodSource("vms")
    void inAFullHeapItIsMadeOrRefusedAndLaterOnesAreMade(Vm vm) {
        Vm.runToSuccess(vm.of(Full.class).vmFlags("-Xmx24m", "-XX:+UseSerialGC", "-XX:-UseGCOverheadLimit"));
    }

    /** Copies, and looks at what came. */
    private static final class Copies {
        private final byte[] source = new byte[LongCopy.LEAST + 1];
        private final byte[] found = new byte[source.length];
        private final OrderedBytes bytes;
        private byte round;
        private @Nullable String wrong;

        Copies(MemoryRegion region) {
            bytes = region.bytes();
        }

        /** False where there was no room, which is an error of the VM. */
        boolean tryOne() {
            round++;
            Arrays.fill(source, round);
            try {
                bytes.putBytes(1, source, 0, source.length);
            } catch (StackOverflowError | OutOfMemoryError noRoom) {
                return false;
            } catch (RuntimeException | Error other) {
                wrong = other.toString();
                return false;
            }
            bytes.getBytes(1, found, 0, found.length);
            if (!Arrays.equals(source, found)) {
                wrong = "other bytes";
            }
            return true;
        }

        void assertManyMore() {
            for (int i = 0; i < 1_000; i++) {
                if (!tryOne() || wrong != null) {
                    throw new AssertionError("copy " + i + ": " + wrong);
                }
            }
        }
    }

    static final class Deep {
        private Deep() {}

        public static void main(String[] args) throws Exception {
            LoadedClasses.of(LongCopyRoomIT.class, LibC.class);
            try (MemoryRegion region = MemoryRegion.memfd("deep", 1 << 16)) {
                Copies copies = new Copies(region);
                deeper(0, copies);
                copies.assertManyMore();
            }
        }

        /** True when a copy was made here or below. */
        private static boolean deeper(int depth, Copies copies) {
            boolean made = false;
            try {
                made = depth < Integer.MAX_VALUE && deeper(depth + 1, copies);
            } catch (StackOverflowError end) {
                // Here it ends.
            }
            try {
                return made || copies.tryOne();
            } catch (StackOverflowError noRoom) {
                return false;
            }
        }
    }

    static final class Full {
        private Full() {}

        public static void main(String[] args) throws Exception {
            LoadedClasses.of(LongCopyRoomIT.class, LibC.class);
            try (MemoryRegion region = MemoryRegion.memfd("full", 1 << 16)) {
                Copies copies = new Copies(region);
                Object[] taken = new Object[400_000];
                Ballast.fill(taken);
                int last = taken.length - 1;
                while (taken[last] == null) {
                    last--;
                }
                for (boolean made = false; last >= 0 && !made; last--) {
                    made = copies.tryOne();
                    taken[last] = null;
                }
                Arrays.fill(taken, null);
                copies.assertManyMore();
            }
        }
    }
}
