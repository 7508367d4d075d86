package dev.carillon.memory;

import static dev.carillon.sys.layout.Constants.MAP_ANONYMOUS;
import static dev.carillon.sys.layout.Constants.MAP_FIXED;
import static dev.carillon.sys.layout.Constants.MAP_NORESERVE;
import static dev.carillon.sys.layout.Constants.MAP_PRIVATE;
import static dev.carillon.sys.layout.Constants.PROT_READ;
import static dev.carillon.sys.layout.Constants.PROT_WRITE;

import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.fault.GuardedRange;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A range of addresses: mapped, then covered with zero pages, then given back. It also counts all such ranges.
 *
 * <p>It must never reach a buffer over its range: that it is unreachable is what allows the addresses to be given back.
 *
 * <p><b>Threading:</b> {@link #close} any thread, the release is the cleaner's.
 *
 * <p><b>See:</b> mmap(2), munmap(2).
 */
final class Mapping {
    private static final long GC_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long GC_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    // How many mappings of this process are in each state.
    private static final AtomicLong MAPPED = new AtomicLong();
    private static final AtomicLong RETAINED = new AtomicLong();
    private static final AtomicLong STUCK = new AtomicLong();
    private static final AtomicLong LEAKED = new AtomicLong();
    private static volatile String lastLeak = "";

    private static WeakReference<@Nullable Cleaner> lastCleaner = new WeakReference<>(null);

    private final LibC libc;
    private final String what;
    private final long length;
    private final @Nullable Fd fd;
    private final GuardedRange range = new GuardedRange();
    private final Cleaner cleaner = cleaner();

    /**
     * OPEN -> COVERED (closed, zero pages) or STUCK (closed, the kernel refused the zero pages) -> RELEASED; a region
     * that is never closed goes from OPEN to RELEASED. Guarded by this object's lock.
     */
    private State state = State.OPEN;

    /** Set once, before other threads have this object. */
    private long address;

    /** Whether a buffer has the addresses, so that they are given back when it is unreachable. */
    private boolean hasBuffer;

    private Mapping(LibC libc, String what, long length, @Nullable Fd fd) {
        this.libc = libc;
        this.what = what;
        this.length = length;
        this.fd = fd;
    }

    /** Maps; on success it owns the descriptor. */
    static Mapping map(LibC libc, String what, long length, int protection, int flags, @Nullable Fd fd) {
        // First, since there may be no memory for it.
        Mapping mapping = new Mapping(libc, what, length, fd);
        long address = mapped(libc, length, protection, flags, fd);
        long before = RETAINED.get();
        if (address == -Errno.ENOMEM && before > 0) {
            awaitFewerRetained(before);
            address = mapped(libc, length, protection, flags, fd);
        }
        if (isErrno(address)) {
            throw Failure.of("mmap", address, what + ", size=" + length + advice(address));
        }
        mapping.address = address;
        MAPPED.incrementAndGet();
        return mapping;
    }

    static RegionStats stats() {
        return new RegionStats(MAPPED.get(), RETAINED.get(), STUCK.get(), LEAKED.get(), lastLeak);
    }

    /**
     * The cleaner of all mappings; each keeps it, and with the last mapping it goes, and its thread too.
     *
     * <p>One that lived for ever would be a thread that no code can stop.
     */
    private static synchronized Cleaner cleaner() {
        Cleaner running = lastCleaner.get();
        if (running == null) {
            running = Cleaner.create(action -> {
                Thread thread = new Thread(action, "carillon-memory-cleaner");
                thread.setDaemon(true);
                return thread;
            });
            lastCleaner = new WeakReference<>(running);
        }
        return running;
    }

    long address() {
        return address;
    }

    /** As a range of which pages can be lost; nobody looks after it until it is entered. */
    GuardedRange range() {
        return range;
    }

    /** Has atomic accesses to pages that are lost end well, where this machine can do that. */
    void guard() {
        range.enter(address, length);
    }

    /** From now on it is that buffer, and what was sliced from it, that holds the addresses. */
    void releaseWhenUnreachable(ByteBuffer root) {
        cleaner.register(root, this::release);
        hasBuffer = true;
    }

    /**
     * Takes the pages away and leaves the addresses: MAP_FIXED replaces them in one step, so that an access that comes
     * late, or is under way, finds either the old pages or zeros, never a hole.
     */
    // r[impl memory.close.zero-pages]
    // r[impl memory.close.once]
    synchronized void close() {
        if (state != State.OPEN) {
            // Or the first close has found no stack for it.
            closeDescriptor();
            return;
        }
        if (!hasBuffer) {
            // First what fails with an error if there is no memory for it, and can be made later.
            range.leave();
            libc.munmap(address, length);
            state = State.RELEASED;
            MAPPED.decrementAndGet();
            closeDescriptor();
            return;
        }
        long covered = libc.mmap(
                address,
                length,
                PROT_READ | PROT_WRITE,
                MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1,
                0);
        state = isErrno(covered) ? State.STUCK : State.COVERED;
        MAPPED.decrementAndGet();
        RETAINED.incrementAndGet();
        if (state == State.STUCK) {
            STUCK.incrementAndGet();
        }
        closeDescriptor();
    }

    /** Gives the addresses back; only called when nothing can reach them. */
    // r[impl memory.unmap.unreachable]
    // r[impl memory.leak]
    private synchronized void release() {
        switch (state) {
            case OPEN -> {
                MAPPED.decrementAndGet();
                lastLeak = what;
                LEAKED.incrementAndGet();
            }
            case COVERED -> RETAINED.decrementAndGet();
            case STUCK -> {
                RETAINED.decrementAndGet();
                STUCK.decrementAndGet();
            }
            case RELEASED -> throw new IllegalStateException("released twice: " + what);
        }
        state = State.RELEASED;
        unmap();
        closeDescriptor();
    }

    /** The cleaner is asked once, so it waits until there is memory for the call. */
    private void unmap() {
        boolean isDone = false;
        while (!isDone) {
            try {
                range.leave();
                libc.munmap(address, length);
                isDone = true;
            } catch (OutOfMemoryError memoryIsShort) {
                LockSupport.parkNanos(GC_POLL_NANOS);
            }
        }
    }

    private void closeDescriptor() {
        if (fd != null) {
            fd.close();
        }
    }

    private static long mapped(LibC libc, long length, int protection, int flags, @Nullable Fd fd) {
        if (fd == null) {
            return libc.mmap(0, length, protection, flags, -1, 0);
        }
        int number = fd.acquire();
        try {
            return libc.mmap(0, length, protection, flags, number, 0);
        } finally {
            fd.release();
        }
    }

    /** Closed regions keep their addresses until a garbage collection has seen that they are out of use. */
    private static void awaitFewerRetained(long before) {
        System.gc();
        long deadline = System.nanoTime() + GC_PATIENCE_NANOS;
        while (RETAINED.get() >= before && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(GC_POLL_NANOS);
        }
    }

    private static String advice(long failed) {
        return switch ((int) -failed) {
            case Errno.ENOMEM -> ": no memory or no addresses; see ulimit -v and vm.max_map_count";
            case Errno.EACCES, Errno.EPERM -> ": the descriptor or a seal forbids this access; READ_ONLY may work";
            default -> "";
        };
    }

    /** The kernel's errors are the last page of the address space. */
    private static boolean isErrno(long result) {
        return result < 0 && result >= -4_095;
    }

    private enum State {
        OPEN,
        COVERED,
        STUCK,
        RELEASED
    }
}
