package dev.carillon.memory;

import dev.carillon.ClosedException;
import dev.carillon.HeldDescriptor;
import dev.carillon.SyscallException;
import dev.carillon.sys.FdHold;
import dev.carillon.sys.LibC;
import dev.carillon.sys.StackRoom;
import dev.carillon.sys.call.Sys;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A range of memory, anonymous or over a file or memfd, that processes can share.
 *
 * <p>Sizes are in bytes, from 1 to 2^31-1. What is created here has whole pages of 4,096 bytes, so {@link #size} may be
 * more than what was asked for; what exists already is mapped as long as it is.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> the code that creates it closes it. Closing gives the memory and the descriptor back at once, and the
 * addresses when no view is reachable any more, so a late access can never hit what is mapped there next. A region that
 * is never closed is unmapped by the garbage collector, and counted as leaked in {@link #stats}.
 *
 * <p><b>Order:</b> see {@link OrderedBytes}; {@link #buffer} gives none.
 *
 * <p><b>See:</b> mmap(2), memfd_create(2), shm_overview(7).
 */
public final class MemoryRegion implements AutoCloseable {
    private final Mapping mapping;
    private final RegionViews views;
    private final int size;
    private final Access access;
    private final @Nullable BackingObject backing;
    private final boolean canShrink;

    private final TruncationGuard guard;
    private final ReleaseActions releaseActions = new ReleaseActions();

    /** Null when closed, so that a closed region that is still referenced does not keep the addresses. */
    private volatile @Nullable ByteBuffer root;

    private volatile @Nullable OrderedBytes bytes;

    MemoryRegion(LibC libc, String what, Mapping mapping, int size, Access access, @Nullable BackingObject backing) {
        this.mapping = mapping;
        this.size = size;
        this.access = access;
        this.backing = backing;
        this.canShrink = backing != null && !backing.seals().contains(Seal.SHRINK);
        this.views = viewsOf(libc, what, mapping, size, access, canShrink ? backing : null);
        this.guard = new TruncationGuard(views, backing, size);
        ByteBuffer whole = libc.view(mapping.address(), size);
        mapping.releaseWhenUnreachable(whole);
        // r[impl memory.read-only]
        ByteBuffer allowed = access == Access.READ_WRITE ? whole.duplicate() : whole.asReadOnlyBuffer();
        this.root = allowed;
        this.bytes = views.add(new OrderedBytes(allowed.duplicate(), views, 0));
    }

    private static RegionViews viewsOf(
            LibC libc, String what, Mapping mapping, int size, Access access, @Nullable BackingObject lossy) {
        if (access == Access.READ_ONLY) {
            return RegionViews.ofSafePages(what);
        }
        if (lossy == null) {
            return new RegionViews(what, null, new LongCopy(libc, mapping.address()));
        }
        mapping.guard();
        return new RegionViews(what, new LossyPages(mapping, lossy, size), null);
    }

    /** Memory of this process alone, all zeros. */
    public static MemoryRegion anonymous(long size) {
        return factory().anonymous(size, false);
    }

    /** Memory that processes share which are forked from this one; others need {@link #memfd} or a file. */
    public static MemoryRegion anonymousShared(long size) {
        return factory().anonymous(size, true);
    }

    /** A memfd with all seals: it keeps its size, and no access to it can fault. */
    public static MemoryRegion memfd(String name, long size) {
        return memfd(name, size, EnumSet.allOf(Seal.class));
    }

    /**
     * A memfd with the given seals.
     *
     * @param name what /proc/PID/maps shows, 249 bytes in UTF-8 at most; need not be unique
     * @param size how many bytes, all reserved now
     * @param seals without {@link Seal#SHRINK}, any process that has the descriptor can truncate it
     */
    public static MemoryRegion memfd(String name, long size, Set<Seal> seals) {
        return factory().memfd(name, size, seals);
    }

    /**
     * A new file, readable and writable for this user only; a failure leaves no file.
     *
     * @throws SyscallException with EEXIST if there is one already, with ENOSPC if there is no room for all of it
     */
    public static MemoryRegion createFile(Path path, long size) {
        return factory().createFile(path, size);
    }

    /**
     * As {@link #createFile}, or the first {@code size} bytes of the file that is there, made longer if need be.
     *
     * @throws IllegalStateException if that file belongs to another user, can be written by others, or has several names
     * @throws SyscallException with ELOOP if a symbolic link is there
     */
    public static MemoryRegion openOrCreateFile(Path path, long size) {
        return factory().openOrCreateFile(path, size);
    }

    /**
     * The whole of an existing file; for READ_WRITE all of its storage is reserved now.
     *
     * @throws SyscallException with ENOSPC if the file has holes and there is no room for them
     */
    public static MemoryRegion openFile(Path path, Access access) {
        return factory().openFile(path, access);
    }

    /**
     * The whole of a file or memfd that is open as {@code fd}, as {@link #openFile}.
     *
     * <p><b>Ownership:</b> the region works with its own copy; the caller's descriptor stays the caller's.
     */
    public static MemoryRegion ofDescriptor(int fd, Access access) {
        return factory().ofDescriptor(fd, access);
    }

    /** How many regions there are and were. */
    public static RegionStats stats() {
        return Mapping.stats();
    }

    /** The number of bytes. */
    public int size() {
        return size;
    }

    /** Whether it may be written. */
    public Access access() {
        return access;
    }

    /** The bytes, to be used in defined order. */
    public OrderedBytes bytes() {
        OrderedBytes open = bytes;
        if (open == null) {
            throw views.closed("bytes()");
        }
        return open;
    }

    /**
     * A new buffer over all bytes, in native byte order, for what wants a ByteBuffer.
     *
     * <p>After the close it reads zeros and writes to nowhere, as does an atomic access to a page that is lost. Do not compare
     * it ({@code equals}, {@code mismatch}) if the file can be truncated: JDK 17 can crash in that.
     */
    public ByteBuffer buffer() {
        ByteBuffer open = root;
        if (open == null) {
            throw views.closed("buffer()");
        }
        return open.duplicate().order(ByteOrder.nativeOrder());
    }

    /**
     * The descriptor's number, close-on-exec.
     *
     * <p><b>Ownership:</b> the region's, and good until its close; {@link #hold} it where another thread may close the region, copy
     * it to keep it, never close it.
     *
     * @throws UnsupportedOperationException if the region is anonymous
     */
    public int fd() {
        return backing().number();
    }

    /**
     * Holds the descriptor: its number stays the region's until the hold is closed, whoever closes the region meanwhile.
     *
     * @throws ClosedException if the region is closed
     * @throws UnsupportedOperationException if the region is anonymous
     */
    // r[impl memory.hold]
    public HeldDescriptor hold() {
        return FdHold.of(backing().fd());
    }

    /** The seals that the memfd has now; empty for other files. */
    public Set<Seal> seals() {
        return backing().seals();
    }

    /** Whether it was not closed yet. */
    public boolean isOpen() {
        return !views.isClosed();
    }

    /** Whether another process can make the file shorter than this region: it is a file, or a memfd without the seal. */
    public boolean canShrink() {
        return canShrink;
    }

    /** Whether the file is now shorter than this region, or an atomic access has found a page of it lost. */
    public boolean isTruncated() {
        return guard.isTruncated();
    }

    /**
     * Does some work over this region, and says clearly when its file was truncated meanwhile.
     *
     * <p>The VM reports an access behind the end of a file as InternalError, sometimes only at a later call. This asks
     * for it at the end: one system call, so wrap a batch rather than a message.
     *
     * @return what the work returns
     * @throws RegionTruncatedException if the file is shorter than the region; the result of the work is lost
     */
    public <T extends @Nullable Object> T guarded(Supplier<T> work) {
        return guard.guarded(this, work);
    }

    /**
     * Registers something that {@link #close} does when no new access is let in any more, and the memory is still there:
     * for code that has given its address to the kernel, and has to take it back.
     *
     * @throws ClosedException if the region is closed
     */
    public void beforeRelease(Runnable action) {
        releaseActions.add(views, action);
    }

    /**
     * Gives memory and descriptor back; a second close does nothing.
     *
     * <p>From then on accesses through {@link OrderedBytes} give {@link ClosedException}; those under way, and buffers,
     * read zeros and write to nowhere.
     */
    // r[impl memory.close.refused-after]
    @Override
    public void close() {
        try {
            // A fault of a lost page comes here, not in the midst of what must be done as a whole.
            VmFaults.handOut();
        } finally {
            closeNow();
        }
    }

    private void closeNow() {
        if (releaseActions.isRunningHere()) {
            return; // one of the actions closes what is being closed
        }
        StackRoom.ensureAround();
        ByteBuffer before = root;
        views.close();
        try {
            releaseActions.run();
        } finally {
            mapping.close();
            // Only now, or the collector could release what is being closed, and call it a leak; so it could what a
            // close has found no memory for, and the next one closes.
            root = null;
            bytes = null;
            Reference.reachabilityFence(before);
        }
    }

    @Override
    public String toString() {
        return "MemoryRegion[" + views.what() + ", size=" + size + (isOpen() ? "]" : ", closed]");
    }

    private BackingObject backing() {
        if (backing == null) {
            throw new UnsupportedOperationException(this + " is anonymous: it has no descriptor; create a memfd");
        }
        return backing;
    }

    private static RegionFactory factory() {
        // What fails for want of stack fails before there is a descriptor or a mapping.
        StackRoom.ensureAround();
        return new RegionFactory(Sys.get());
    }
}
