package dev.carillon.sys;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** C through JNA's direct mapping: every JDK, real prototypes, primitives only. */
@SuppressWarnings("MemberName")
final class JnaLibC extends LibC {
    /** Kept, since JNA forgets what nobody has, and needs a thread to make it anew. */
    private static @Nullable NativeLibrary process;

    private static boolean isBound;
    private static boolean hasCloseFrom;

    private JnaLibC() {}

    /**
     * Binds the functions. No class of ours does that when it is initialized: what fails for want of memory can be done
     * again.
     *
     * <p>Its type is LibC, so that the VM can verify a caller without loading this class.
     */
    // r[impl sys.first-call]
    static synchronized LibC create() {
        if (!isBound) {
            NativeLibrary all = process != null ? process : NativeLibrary.getProcess();
            process = all;
            Native.register(Kernel.class, all);
            Native.register(Memory.class, all);
            Native.register(Signals.class, all);
            Native.register(Spawn.class, all);
            hasCloseFrom = bindIfThere(CloseFrom.class, all);
            isBound = true;
        }
        return new JnaLibC();
    }

    private static boolean bindIfThere(Class<?> functions, NativeLibrary library) {
        try {
            Native.register(functions, library);
            return true;
        } catch (UnsatisfiedLinkError missing) {
            return false;
        }
    }

    // r[impl sys.result]
    private static long checked(long result) {
        return result == -1 ? -Native.getLastError() : result;
    }

    @Override
    long syscall(long number) {
        return checked(Kernel.syscall(number));
    }

    @Override
    long syscall(long number, long a) {
        return checked(Kernel.syscall(number, a));
    }

    @Override
    long syscall(long number, long a, long b) {
        return checked(Kernel.syscall(number, a, b));
    }

    @Override
    long syscall(long number, long a, long b, long c) {
        return checked(Kernel.syscall(number, a, b, c));
    }

    @Override
    long syscall(long number, long a, long b, long c, long d) {
        return checked(Kernel.syscall(number, a, b, c, d));
    }

    @Override
    long syscall(long number, long a, long b, long c, long d, long e) {
        return checked(Kernel.syscall(number, a, b, c, d, e));
    }

    @Override
    long syscall(long number, long a, long b, long c, long d, long e, long f) {
        return checked(Kernel.syscall(number, a, b, c, d, e, f));
    }

    @Override
    public long addressOf(ByteBuffer direct) {
        return Pointer.nativeValue(Native.getDirectBufferPointer(direct));
    }

    @Override
    public ByteBuffer view(long address, int length) {
        return new Pointer(address).getByteBuffer(0, length).order(ByteOrder.nativeOrder());
    }

    @Override
    public void memcpy(long to, long from, long length) {
        long unused = Memory.memcpy(to, from, length);
    }

    @Override
    public int sigaction(int signal, long newAction, long oldAction) {
        return (int) checked(Signals.sigaction(signal, newAction, oldAction));
    }

    @Override
    public int posix_spawnp(long pidOut, long file, long actions, long attributes, long argv, long envp) {
        return -Spawn.posix_spawnp(pidOut, file, actions, attributes, argv, envp);
    }

    @Override
    public int posix_spawnattr_init(long attributes) {
        return -Spawn.posix_spawnattr_init(attributes);
    }

    @Override
    public int posix_spawnattr_destroy(long attributes) {
        return -Spawn.posix_spawnattr_destroy(attributes);
    }

    @Override
    public int posix_spawnattr_setflags(long attributes, int flags) {
        return -Spawn.posix_spawnattr_setflags(attributes, (short) flags);
    }

    @Override
    public int posix_spawnattr_setpgroup(long attributes, int group) {
        return -Spawn.posix_spawnattr_setpgroup(attributes, group);
    }

    @Override
    public int posix_spawnattr_setsigmask(long attributes, long sigset) {
        return -Spawn.posix_spawnattr_setsigmask(attributes, sigset);
    }

    @Override
    public int posix_spawnattr_setsigdefault(long attributes, long sigset) {
        return -Spawn.posix_spawnattr_setsigdefault(attributes, sigset);
    }

    @Override
    public int posix_spawn_file_actions_init(long actions) {
        return -Spawn.posix_spawn_file_actions_init(actions);
    }

    @Override
    public int posix_spawn_file_actions_destroy(long actions) {
        return -Spawn.posix_spawn_file_actions_destroy(actions);
    }

    @Override
    public int posix_spawn_file_actions_adddup2(long actions, int fd, int newFd) {
        return -Spawn.posix_spawn_file_actions_adddup2(actions, fd, newFd);
    }

    @Override
    public int posix_spawn_file_actions_addopen(long actions, int fd, long path, int flags, int mode) {
        return -Spawn.posix_spawn_file_actions_addopen(actions, fd, path, flags, mode);
    }

    @Override
    public int posix_spawn_file_actions_addclose(long actions, int fd) {
        return -Spawn.posix_spawn_file_actions_addclose(actions, fd);
    }

    @Override
    public int posix_spawn_file_actions_addchdir_np(long actions, long path) {
        return -Spawn.posix_spawn_file_actions_addchdir_np(actions, path);
    }

    @Override
    public int posix_spawn_file_actions_addclosefrom_np(long actions, int from) {
        return hasCloseFrom ? -CloseFrom.posix_spawn_file_actions_addclosefrom_np(actions, from) : -Errno.ENOSYS;
    }

    /**
     * C's syscall is variadic; bound with a fixed number of integer arguments it is the same call, since x86-64 and
     * aarch64 Linux pass variadic integers as they pass any others.
     */
    private static final class Kernel {
        static native long syscall(long number);

        static native long syscall(long number, long a);

        static native long syscall(long number, long a, long b);

        static native long syscall(long number, long a, long b, long c);

        static native long syscall(long number, long a, long b, long c, long d);

        static native long syscall(long number, long a, long b, long c, long d, long e);

        static native long syscall(long number, long a, long b, long c, long d, long e, long f);
    }

    private static final class Memory {
        static native long memcpy(long to, long from, long length);
    }

    private static final class Signals {
        static native int sigaction(int signal, long newAction, long oldAction);
    }

    private static final class Spawn {
        static native int posix_spawnp(long pidOut, long file, long actions, long attributes, long argv, long envp);

        static native int posix_spawnattr_init(long attributes);

        static native int posix_spawnattr_destroy(long attributes);

        static native int posix_spawnattr_setflags(long attributes, short flags);

        static native int posix_spawnattr_setpgroup(long attributes, int group);

        static native int posix_spawnattr_setsigmask(long attributes, long sigset);

        static native int posix_spawnattr_setsigdefault(long attributes, long sigset);

        static native int posix_spawn_file_actions_init(long actions);

        static native int posix_spawn_file_actions_destroy(long actions);

        static native int posix_spawn_file_actions_adddup2(long actions, int fd, int newFd);

        static native int posix_spawn_file_actions_addopen(long actions, int fd, long path, int flags, int mode);

        static native int posix_spawn_file_actions_addclose(long actions, int fd);

        static native int posix_spawn_file_actions_addchdir_np(long actions, long path);
    }

    /** Apart from the others: one missing function would fail the registration of its whole class. */
    private static final class CloseFrom {
        static native int posix_spawn_file_actions_addclosefrom_np(long actions, int from);
    }
}
