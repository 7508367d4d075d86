package dev.carillon.memory;

import dev.carillon.ClosedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Regions are closed while threads use them; a VM that survives that is the verdict. */
final class CloseUnderFireIT {
    // r[verify memory.close.zero-pages]
    // r[verify memory.unmap.unreachable]
    @ParameterizedTest
    @MethodSource("dev.carillon.memory.Vm#compiledAndInterpreted")
    void noAccessCrashesWhileAnotherThreadCloses(Vm vm) {
        Vm.runToSuccess(vm.of(Fire.class, vm.mode().isEmpty() ? "1000" : "100"));
    }

    @ParameterizedTest
    @MethodSource("dev.carillon.memory.Vm#all")
    void aCompiledLoopThatKeepsTheAddressKeepsTheMappingToo(Vm vm) {
        Vm.runToSuccess(vm.of(LongLoop.class, "15"));
    }

    @ParameterizedTest
    @MethodSource("dev.carillon.memory.Vm#all")
    void moreRegionsThanTheKernelHasMappingsCanBeOpenedAndClosed(Vm vm) {
        Vm.runToSuccess(vm.of(Many.class, "70000"));
    }

    /** Three threads use each region in all ways until they are told that it is closed. */
    static final class Fire {
        private static final int SIZE = 8 * 4_096;
        private static final int USERS = 3;
        private static final int GC_EVERY = 20;
        private static final int LONGEST_LIFE_NANOS = 200_000;

        public static void main(String[] args) throws InterruptedException {
            SplittableRandom random = new SplittableRandom();
            int rounds = Integer.parseInt(args[0]);
            for (int round = 0; round < rounds; round++) {
                MemoryRegion region = round % 2 == 0 ? MemoryRegion.memfd("fire", SIZE) : MemoryRegion.anonymous(SIZE);
                AtomicBoolean bufferUserMayGo = new AtomicBoolean();
                List<Thread> users = new ArrayList<>();
                CountDownLatch firing = new CountDownLatch(USERS);
                users.add(new Thread(() -> useAll(region.bytes(), firing)));
                users.add(new Thread(() -> loopOver(region.bytes().slice(4_096, 8_192), firing)));
                ByteBuffer buffer = region.buffer();
                users.add(new Thread(() -> useBuffer(buffer, firing, bufferUserMayGo)));
                users.forEach(Thread::start);
                firing.await(20, TimeUnit.SECONDS);
                LockSupport.parkNanos(random.nextInt(LONGEST_LIFE_NANOS));
                region.close();
                if (round % GC_EVERY == 0) {
                    System.gc();
                }
                bufferUserMayGo.set(true);
                for (Thread user : users) {
                    user.join(20_000);
                    if (user.isAlive()) {
                        throw new IllegalStateException("still running in round " + round + ": " + user);
                    }
                }
            }
            System.out.println(MemoryRegion.stats());
        }

        private static void useAll(OrderedBytes bytes, CountDownLatch firing) {
            byte[] array = new byte[SIZE];
            try {
                for (int turn = 0; ; turn++) {
                    for (AccessTable access : AccessTable.ALL) {
                        access.at(bytes, turn * 8 & (SIZE - 1));
                    }
                    bytes.getBytes(0, array, 0, SIZE);
                    bytes.putBytes(0, array, 0, SIZE);
                    firing.countDown();
                }
            } catch (ClosedException expected) {
                firing.countDown();
            }
        }

        /** A loop that the compiler can keep the address of the bytes in a register for. */
        private static void loopOver(OrderedBytes bytes, CountDownLatch firing) {
            long sum = 0;
            try {
                while (true) {
                    for (int offset = 0; offset < 8_192; offset += 8) {
                        bytes.putLong(offset, sum);
                        sum += bytes.getLong(offset);
                    }
                    firing.countDown();
                }
            } catch (ClosedException expected) {
                firing.countDown();
            }
        }

        private static void useBuffer(ByteBuffer buffer, CountDownLatch firing, AtomicBoolean mayGo) {
            long sum = 0;
            while (!mayGo.get()) {
                for (int offset = 0; offset < SIZE; offset += 8) {
                    buffer.putLong(offset, sum);
                    sum += buffer.getLong(offset);
                }
                firing.countDown();
            }
        }
    }

    /** A loop of plain accesses is some 30 ms long and looks at the view's state once, before the close. */
    static final class LongLoop {
        private static final int SIZE = 64 * 4_096;
        private static final int TURNS = 60_000_000;

        public static void main(String[] args) throws InterruptedException {
            for (int round = 0; round < Integer.parseInt(args[0]); round++) {
                MemoryRegion region = MemoryRegion.memfd("loop", SIZE);
                CountDownLatch started = new CountDownLatch(1);
                Thread reader = reader(region.bytes(), started);
                reader.start();
                started.await(20, TimeUnit.SECONDS);
                LockSupport.parkNanos(2_000_000);
                region.close();
                while (reader.isAlive()) {
                    System.gc();
                }
            }
            System.out.println(MemoryRegion.stats());
        }

        private static Thread reader(OrderedBytes bytes, CountDownLatch started) {
            return new Thread(() -> {
                started.countDown();
                try {
                    System.out.println(sum(bytes));
                } catch (ClosedException closedBeforeTheLoop) {
                    System.out.println("closed");
                }
            });
        }

        private static long sum(OrderedBytes bytes) {
            long sum = 0;
            for (int turn = 0; turn < TURNS; turn++) {
                sum += bytes.getLong(turn * Long.BYTES & (SIZE - 1));
            }
            return sum;
        }
    }

    /** Each closed region keeps its addresses until a garbage collection, and the heap is small. */
    static final class Many {
        public static void main(String[] args) {
            for (int round = 0; round < Integer.parseInt(args[0]); round++) {
                try (MemoryRegion region = MemoryRegion.anonymous(4_096)) {
                    region.bytes().putInt(0, round);
                }
            }
            System.out.println(MemoryRegion.stats());
        }
    }
}
