package dev.carillon.memory;

import dev.carillon.ClosedException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Files are truncated, and some regions closed, while threads make atomic accesses to them; a VM that survives that is the verdict. */
final class AtomicLossIT {
    private static final String ROUNDS = "200";

    @TempDir
    private Path folder;

    // r[verify memory.atomic-loss] r[verify memory.truncation]
    @ParameterizedTest
    @MethodSource("dev.carillon.memory.Vm#compiledAndInterpreted")
    void aTruncationInTheMidstOfAtomicAccessesIsAnExceptionOfEachThread(Vm vm) {
        Vm.runToSuccess(vm.of(Fire.class, folder.toString(), ROUNDS));
    }

    /** Threads that make one kind of access each, until they are told that its page is lost. */
    static final class Fire {
        private static final int PAGE = 4_096;
        private static final int TURNS = 500;
        private static final long LIMIT_MILLIS = 20_000;
        private static final List<String> KINDS = List.of("compareAndSet", "getAndAdd", "getAndSet", "putIntVolatile");

        public static void main(String[] args) throws IOException, InterruptedException {
            Path file = Path.of(args[0], "file-" + ProcessHandle.current().pid());
            List<AccessTable> accesses = AccessTable.ALL.stream()
                    .filter(access -> KINDS.stream().anyMatch(access.name()::startsWith))
                    .toList();
            for (int round = 0; round < Integer.parseInt(args[1]); round++) {
                try (MemoryRegion region = MemoryRegion.createFile(file, 2 * PAGE)) {
                    round(region, file, round, accesses);
                }
                Files.delete(file);
            }
            System.out.println(MemoryRegion.stats());
        }

        private static void round(MemoryRegion region, Path file, int round, List<AccessTable> accesses)
                throws IOException, InterruptedException {
            List<User> users = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                users.add(new User(region.bytes(), accesses.get((3 * round + i) % accesses.size())));
            }
            for (User user : users) {
                user.started.await(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
            }
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(round % 2 == 0 ? 0 : PAGE);
            }
            boolean closes = round % 3 == 2;
            if (closes) {
                region.close();
            }
            for (User user : users) {
                user.ensureTold(closes);
            }
            if (!closes && !region.isTruncated()) {
                throw new IllegalStateException("not truncated: " + region);
            }
        }

        /** One thread. */
        private static final class User {
            final CountDownLatch started = new CountDownLatch(1);
            private final AccessTable access;
            private final Thread thread;
            private volatile @Nullable Throwable told;

            User(OrderedBytes bytes, AccessTable access) {
                this.access = access;
                thread = new Thread(() -> use(bytes), access.name());
                thread.setDaemon(true);
                thread.start();
            }

            private void use(OrderedBytes bytes) {
                try {
                    for (int turn = 0; ; turn++) {
                        access.at(bytes, PAGE);
                        if (turn == TURNS) {
                            started.countDown();
                        }
                    }
                } catch (RuntimeException | Error failure) {
                    told = failure;
                }
            }

            void ensureTold(boolean closed) throws InterruptedException {
                thread.join(LIMIT_MILLIS);
                // The VM may tell of a volatile store that is compiled, and of a load within an access that the close
                // overtakes.
                boolean mayBeLate = closed || access.name().startsWith("put");
                Throwable failure = told;
                boolean isTold = failure instanceof RegionTruncatedException
                        || (closed && failure instanceof ClosedException)
                        || (mayBeLate && failure instanceof InternalError);
                if (!isTold) {
                    throw new IllegalStateException(access + " in " + thread.getState(), failure);
                }
            }
        }
    }
}
