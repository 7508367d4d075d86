package dev.carillon.sys;

import java.io.Serial;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * C through java.lang.foreign, which JDK 22 and later have. This class is compiled for Java 17 against signatures of
 * our own (src/stub), and must not be initialised on a JDK before 22.
 *
 * <p>Every function is called in one shape, seven longs to a long. What a function does not declare it does not read:
 * x86-64 and aarch64 pass integers in registers (the seventh on the stack, cleared by the caller), and an int is the low
 * half of a long. One shape costs one start-up; each further shape would cost milliseconds.
 */
@SuppressWarnings("MemberName")
final class FfmLibC extends LibC {
    private static final String CLOSE_FROM = "posix_spawn_file_actions_addclosefrom_np";

    /** Without {@link #CLOSE_FROM}, which glibc may lack. */
    private static final String[] FUNCTIONS = {
        "syscall",
        "memcpy",
        "sigaction",
        "posix_spawnp",
        "posix_spawnattr_init",
        "posix_spawnattr_destroy",
        "posix_spawnattr_setflags",
        "posix_spawnattr_setpgroup",
        "posix_spawnattr_setsigmask",
        "posix_spawnattr_setsigdefault",
        "posix_spawn_file_actions_init",
        "posix_spawn_file_actions_destroy",
        "posix_spawn_file_actions_adddup2",
        "posix_spawn_file_actions_addopen",
        "posix_spawn_file_actions_addclose",
        "posix_spawn_file_actions_addchdir_np",
    };

    private FfmLibC() {}

    /**
     * Binds the functions; what fails for want of memory can be done again. The holders, of which the VM makes no second
     * attempt, only take the handles.
     *
     * <p>Its type is LibC, so that the VM can verify a caller without loading this class.
     */
    // r[impl sys.first-call]
    static LibC create() {
        for (String function : FUNCTIONS) {
            FfmLinker.bind(function);
        }
        FfmLinker.bindIfThere(CLOSE_FROM);
        Objects.requireNonNull(Kernel.SYSCALL);
        Objects.requireNonNull(Memory.MEMCPY);
        Objects.requireNonNull(Signals.SIGACTION);
        Objects.requireNonNull(Spawn.POSIX_SPAWNP);
        return new FfmLibC();
    }

    @Override
    long syscall(long number) {
        return kernel(number, 0, 0, 0, 0, 0, 0);
    }

    @Override
    long syscall(long number, long a) {
        return kernel(number, a, 0, 0, 0, 0, 0);
    }

    @Override
    long syscall(long number, long a, long b) {
        return kernel(number, a, b, 0, 0, 0, 0);
    }

    @Override
    long syscall(long number, long a, long b, long c) {
        return kernel(number, a, b, c, 0, 0, 0);
    }

    @Override
    long syscall(long number, long a, long b, long c, long d) {
        return kernel(number, a, b, c, d, 0, 0);
    }

    @Override
    long syscall(long number, long a, long b, long c, long d, long e) {
        return kernel(number, a, b, c, d, e, 0);
    }

    @Override
    long syscall(long number, long a, long b, long c, long d, long e, long f) {
        return kernel(number, a, b, c, d, e, f);
    }

    private static long kernel(long number, long a, long b, long c, long d, long e, long f) {
        return Call.make(number, a, b, c, d, e, f);
    }

    /**
     * The call itself, which the compiler must not inline into its callers: within a deep caller it comes to its limit of
     * inlining amid java.lang.foreign, and what is left there allocates some 40 bytes per call. The one thing that keeps
     * HotSpot's optimizing compiler from inlining a method, without flags, is to make it an exception's.
     */
    private static final class Call extends Throwable {
        @Serial
        private static final long serialVersionUID = 1L;

        private Call() {}

        // r[impl sys.result]
        static long make(long number, long a, long b, long c, long d, long e, long f) {
            ErrnoSlot slot = ErrnoSlot.ofThisThread();
            try {
                long result = (long) Kernel.SYSCALL.invokeExact(slot.segment, number, a, b, c, d, e, f);
                return result == -1 ? -slot.errno() : result;
            } catch (Throwable t) {
                throw FfmLinker.unexpected(t);
            }
        }

        /** Its result is the first address. */
        static void copy(long to, long from, long length) {
            try {
                long unused = (long)
                        Memory.MEMCPY.invokeExact(ErrnoSlot.ofThisThread().segment, to, from, length, 0L, 0L, 0L, 0L);
            } catch (Throwable t) {
                throw FfmLinker.unexpected(t);
            }
        }
    }

    /** A function of glibc, of which only the low half of the result is defined. */
    private static int function(MethodHandle handle, long a, long b, long c, long d, long e, long f) {
        ErrnoSlot slot = ErrnoSlot.ofThisThread();
        try {
            int result = (int) (long) handle.invokeExact(slot.segment, a, b, c, d, e, f, 0L);
            return result == -1 ? -slot.errno() : result;
        } catch (Throwable t) {
            throw FfmLinker.unexpected(t);
        }
    }

    @Override
    public long addressOf(ByteBuffer direct) {
        if (!direct.isDirect()) {
            throw new IllegalArgumentException("direct=false: only direct buffers have an address");
        }
        // A segment begins at the buffer's position, an address at index 0.
        return MemorySegment.ofBuffer(direct.duplicate().clear()).address();
    }

    @Override
    public ByteBuffer view(long address, int length) {
        return MemorySegment.ofAddress(address)
                .reinterpret(length)
                .asByteBuffer()
                .order(ByteOrder.nativeOrder());
    }

    @Override
    public void memcpy(long to, long from, long length) {
        Call.copy(to, from, length);
    }

    @Override
    public int sigaction(int signal, long newAction, long oldAction) {
        return function(Signals.SIGACTION, signal, newAction, oldAction, 0, 0, 0);
    }

    @Override
    public int posix_spawnp(long pidOut, long file, long actions, long attributes, long argv, long envp) {
        return -function(Spawn.POSIX_SPAWNP, pidOut, file, actions, attributes, argv, envp);
    }

    @Override
    public int posix_spawnattr_init(long attributes) {
        return -function(Spawn.ATTR_INIT, attributes, 0, 0, 0, 0, 0);
    }

    @Override
    public int posix_spawnattr_destroy(long attributes) {
        return -function(Spawn.ATTR_DESTROY, attributes, 0, 0, 0, 0, 0);
    }

    @Override
    public int posix_spawnattr_setflags(long attributes, int flags) {
        return -function(Spawn.ATTR_SETFLAGS, attributes, flags, 0, 0, 0, 0);
    }

    @Override
    public int posix_spawnattr_setpgroup(long attributes, int group) {
        return -function(Spawn.ATTR_SETPGROUP, attributes, group, 0, 0, 0, 0);
    }

    @Override
    public int posix_spawnattr_setsigmask(long attributes, long sigset) {
        return -function(Spawn.ATTR_SETSIGMASK, attributes, sigset, 0, 0, 0, 0);
    }

    @Override
    public int posix_spawnattr_setsigdefault(long attributes, long sigset) {
        return -function(Spawn.ATTR_SETSIGDEFAULT, attributes, sigset, 0, 0, 0, 0);
    }

    @Override
    public int posix_spawn_file_actions_init(long actions) {
        return -function(Spawn.INIT, actions, 0, 0, 0, 0, 0);
    }

    @Override
    public int posix_spawn_file_actions_destroy(long actions) {
        return -function(Spawn.DESTROY, actions, 0, 0, 0, 0, 0);
    }

    @Override
    public int posix_spawn_file_actions_adddup2(long actions, int fd, int newFd) {
        return -function(Spawn.ADDDUP2, actions, fd, newFd, 0, 0, 0);
    }

    @Override
    public int posix_spawn_file_actions_addopen(long actions, int fd, long path, int flags, int mode) {
        return -function(Spawn.ADDOPEN, actions, fd, path, flags, mode, 0);
    }

    @Override
    public int posix_spawn_file_actions_addclose(long actions, int fd) {
        return -function(Spawn.ADDCLOSE, actions, fd, 0, 0, 0, 0);
    }

    @Override
    public int posix_spawn_file_actions_addchdir_np(long actions, long path) {
        return -function(Spawn.ADDCHDIR_NP, actions, path, 0, 0, 0, 0);
    }

    @Override
    public int posix_spawn_file_actions_addclosefrom_np(long actions, int from) {
        MethodHandle handle = CloseFrom.ADDCLOSEFROM_NP;
        return handle == null ? -Errno.ENOSYS : -function(handle, actions, from, 0, 0, 0, 0);
    }

    /** Handles stand in holders of their own, which take what is bound: the compiler sees constants. */
    private static final class Kernel {
        static final MethodHandle SYSCALL = FfmLinker.bound("syscall");
    }

    private static final class Memory {
        static final MethodHandle MEMCPY = FfmLinker.bound("memcpy");
    }

    private static final class Signals {
        static final MethodHandle SIGACTION = FfmLinker.bound("sigaction");
    }

    private static final class Spawn {
        static final MethodHandle POSIX_SPAWNP = FfmLinker.bound("posix_spawnp");
        static final MethodHandle ATTR_INIT = FfmLinker.bound("posix_spawnattr_init");
        static final MethodHandle ATTR_DESTROY = FfmLinker.bound("posix_spawnattr_destroy");
        static final MethodHandle ATTR_SETFLAGS = FfmLinker.bound("posix_spawnattr_setflags");
        static final MethodHandle ATTR_SETPGROUP = FfmLinker.bound("posix_spawnattr_setpgroup");
        static final MethodHandle ATTR_SETSIGMASK = FfmLinker.bound("posix_spawnattr_setsigmask");
        static final MethodHandle ATTR_SETSIGDEFAULT = FfmLinker.bound("posix_spawnattr_setsigdefault");
        static final MethodHandle INIT = FfmLinker.bound("posix_spawn_file_actions_init");
        static final MethodHandle DESTROY = FfmLinker.bound("posix_spawn_file_actions_destroy");
        static final MethodHandle ADDDUP2 = FfmLinker.bound("posix_spawn_file_actions_adddup2");
        static final MethodHandle ADDOPEN = FfmLinker.bound("posix_spawn_file_actions_addopen");
        static final MethodHandle ADDCLOSE = FfmLinker.bound("posix_spawn_file_actions_addclose");
        static final MethodHandle ADDCHDIR_NP = FfmLinker.bound("posix_spawn_file_actions_addchdir_np");
    }

    private static final class CloseFrom {
        static final @Nullable MethodHandle ADDCLOSEFROM_NP = FfmLinker.boundIfThere(CLOSE_FROM);
    }
}
