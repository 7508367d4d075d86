package dev.carillon.sys.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.sys.Errno;
import dev.carillon.sys.code.Machine;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every number that the kernel or glibc fixes, compared with what the C compiler says, on each machine that is known. */
// r[verify sys.layout]
final class LayoutTest {
    private static final List<String> HEADERS = List.of(
            "stdio.h",
            "stddef.h",
            "errno.h",
            "fcntl.h",
            "sys/stat.h",
            "linux/openat2.h",
            "sys/mman.h",
            "sys/epoll.h",
            "poll.h",
            "sys/eventfd.h",
            "sys/timerfd.h",
            "sys/inotify.h",
            "sys/ioctl.h",
            "sys/syscall.h",
            "time.h",
            "sys/socket.h",
            "sys/un.h",
            "sys/uio.h",
            "netinet/in.h",
            "netinet/tcp.h",
            "signal.h",
            "sys/wait.h",
            "spawn.h",
            "sys/resource.h",
            "linux/futex.h",
            "linux/io_uring.h");

    private static final Map<Class<?>, String> TYPES = types();

    /** Numbers in layout classes that are not the offset of a member. */
    private static final Set<String> NO_MEMBERS = Set.of("KERNEL_SIZE", "LONGEST_NAME");

    private static final int[] FDS = {1, 2, 3, 253};

    @TempDir
    private Path folder;

    private static Map<Class<?>, String> types() {
        Map<Class<?>, String> types = new LinkedHashMap<>();
        types.put(EpollEventLayout.class, "struct epoll_event");
        types.put(InotifyEventLayout.class, "struct inotify_event");
        types.put(TimeLayout.Timespec.class, "struct timespec");
        types.put(TimeLayout.Itimerspec.class, "struct itimerspec");
        types.put(SigsetLayout.class, "sigset_t");
        types.put(SigactionLayout.class, "struct sigaction");
        types.put(SiginfoLayout.class, "siginfo_t");
        types.put(SockaddrLayout.In.class, "struct sockaddr_in");
        types.put(SockaddrLayout.In6.class, "struct sockaddr_in6");
        types.put(SockaddrLayout.Un.class, "struct sockaddr_un");
        types.put(MessageLayout.Iovec.class, "struct iovec");
        types.put(MessageLayout.Msghdr.class, "struct msghdr");
        types.put(MessageLayout.Cmsghdr.class, "struct cmsghdr");
        types.put(MessageLayout.Ucred.class, "struct ucred");
        types.put(OptionLayout.Linger.class, "struct linger");
        types.put(OptionLayout.Mreqn.class, "struct ip_mreqn");
        types.put(OptionLayout.GroupReq.class, "struct group_req");
        types.put(OptionLayout.GroupSourceReq.class, "struct group_source_req");
        types.put(PollfdLayout.class, "struct pollfd");
        types.put(FileLayout.OpenHow.class, "struct open_how");
        types.put(FileLayout.Statx.class, "struct statx");
        types.put(ProcessLayout.Rlimit.class, "struct rlimit");
        types.put(ProcessLayout.SpawnAttributes.class, "posix_spawnattr_t");
        types.put(ProcessLayout.SpawnActions.class, "posix_spawn_file_actions_t");
        types.put(IoUringLayout.Params.class, "struct io_uring_params");
        types.put(IoUringLayout.SqOffsets.class, "struct io_sqring_offsets");
        types.put(IoUringLayout.CqOffsets.class, "struct io_cqring_offsets");
        types.put(IoUringLayout.Sqe.class, "struct io_uring_sqe");
        types.put(IoUringLayout.Cqe.class, "struct io_uring_cqe");
        types.put(IoUringLayout.GeteventsArg.class, "struct io_uring_getevents_arg");
        types.put(IoUringLayout.Probe.class, "struct io_uring_probe");
        types.put(IoUringLayout.ProbeOp.class, "struct io_uring_probe_op");
        return types;
    }

    private static Map<String, Long> numbersOf(Class<?> holder) {
        Map<String, Long> numbers = new LinkedHashMap<>();
        for (Field field : holder.getDeclaredFields()) {
            if (Modifier.isPublic(field.getModifiers()) && field.getType() == int.class) {
                try {
                    numbers.put(field.getName(), (long) field.getInt(null));
                } catch (IllegalAccessException e) {
                    throw new AssertionError(e);
                }
            }
        }
        return numbers;
    }

    /** Compares as ints, since C has some of them unsigned. */
    private static void assertSame(Map<String, Long> ours, Map<String, Long> theirs) {
        List<String> wrong = new ArrayList<>();
        theirs.forEach((name, value) -> {
            Long our = ours.get(name);
            if (our == null || our.intValue() != value.intValue()) {
                wrong.add(name + ": ours " + our + ", C " + value);
            }
        });
        assertEquals(List.of(), wrong);
        assertTrue(theirs.size() > ours.size() * 3 / 4, () -> theirs.size() + " of " + ours.size() + " compared");
    }

    private static Map<String, Long> sizesAndOffsets() {
        Map<String, Long> ours = new LinkedHashMap<>();
        TYPES.forEach((holder, type) -> numbersOf(holder).forEach((name, value) -> {
            if (!NO_MEMBERS.contains(name)) {
                ours.put(holder.getSimpleName() + "." + name, value);
            }
        }));
        ours.put("SockaddrLayout.STORAGE_SIZE", (long) SockaddrLayout.STORAGE_SIZE);
        ours.put("SigsetLayout.KERNEL_SIZE", (long) SigsetLayout.KERNEL_SIZE);
        ours.put("Un.LONGEST_NAME", (long) SockaddrLayout.Un.LONGEST_NAME);
        for (int fds : FDS) {
            ours.put("space" + fds, (long) MessageLayout.Cmsghdr.space(fds * Integer.BYTES));
        }
        return ours;
    }

    private static Map<String, Long> constants() {
        Map<String, Long> ours = new LinkedHashMap<>();
        for (Class<?> holder : List.of(Constants.class, IoUringConstants.class, Errno.class)) {
            ours.putAll(numbersOf(holder));
        }
        return ours;
    }

    /** What we take them for on a machine; on another one than this, a VM says that believes to be there. */
    private static Map<String, Long> on(Machine machine, String which) {
        if (machine.isHere()) {
            return Print.numbers(which);
        }
        Map<String, Long> ours = new LinkedHashMap<>();
        ChildExit exit = ChildJvm.of(Print.class)
                .args(which)
                .vmFlags("-Dos.arch=" + machine.arch())
                .run(Duration.ofSeconds(60));
        assertEquals(0, exit.code(), exit::toString);
        for (String line : exit.stdout()) {
            String[] words = line.split(" ", -1);
            ours.put(words[0], Long.valueOf(words[1]));
        }
        return ours;
    }

    @ParameterizedTest
    @EnumSource
    void sizesAndOffsetsAreThoseOfC(Machine machine) throws Exception {
        GccProgram gcc = new GccProgram(folder, machine, HEADERS);
        TYPES.forEach((holder, type) -> numbersOf(holder).keySet().forEach(name -> {
            if (!NO_MEMBERS.contains(name)) {
                String member = name.toLowerCase(Locale.ROOT);
                gcc.ask(
                        holder.getSimpleName() + "." + name,
                        name.equals("SIZE") ? "sizeof(" + type + ")" : "offsetof(" + type + ", " + member + ")");
            }
        }));
        gcc.ask("SockaddrLayout.STORAGE_SIZE", "sizeof(struct sockaddr_storage)");
        gcc.ask("SigsetLayout.KERNEL_SIZE", "_NSIG / 8");
        gcc.ask("Un.LONGEST_NAME", "sizeof(((struct sockaddr_un *) 0)->sun_path) - 1");
        for (int fds : FDS) {
            gcc.ask("space" + fds, "CMSG_SPACE(" + fds + " * sizeof(int))");
        }
        assertSame(on(machine, "sizes"), gcc.answers());
    }

    @Test
    void everyLayoutIsCompared() {
        List<Class<?>> missing = new ArrayList<>();
        for (Class<?> family : List.of(
                TimeLayout.class,
                SockaddrLayout.class,
                MessageLayout.class,
                OptionLayout.class,
                FileLayout.class,
                ProcessLayout.class,
                IoUringLayout.class)) {
            Arrays.stream(family.getDeclaredClasses())
                    .filter(layout -> !TYPES.containsKey(layout))
                    .forEach(missing::add);
        }
        assertEquals(List.of(), missing);
    }

    @ParameterizedTest
    @EnumSource
    void constantsAreThoseOfC(Machine machine) throws Exception {
        GccProgram gcc = new GccProgram(folder, machine, HEADERS);
        constants().keySet().forEach(name -> gcc.ask(name, name));
        assertSame(on(machine, "constants"), gcc.answers());
    }

    @ParameterizedTest
    @EnumSource
    void syscallNumbersAreThoseOfTheMachine(Machine machine) throws Exception {
        GccProgram gcc = new GccProgram(folder, machine, HEADERS);
        Map<String, Long> ours = on(machine, "calls");
        ours.keySet().forEach(name -> gcc.ask(name, "SYS_" + name.toLowerCase(Locale.ROOT)));
        assertSame(ours, gcc.answers());
    }

    @Test
    void syscallNumbersOfAarch64AreTheKernelsGenericOnes() throws Exception {
        GccProgram gcc = new GccProgram(folder, Machine.here(), List.of("stdio.h", "asm-generic/unistd.h"));
        Map<String, Long> ours = on(Machine.AARCH64, "calls");
        ours.keySet().forEach(name -> gcc.ask(name, "__NR_" + name.toLowerCase(Locale.ROOT)));
        assertEquals(63, ours.get("READ"));
        assertSame(ours, gcc.answers());
    }

    /** Runs with the instruction set of the property. */
    static final class Print {
        private Print() {}

        public static void main(String[] args) {
            numbers(args[0]).forEach((name, number) -> System.out.println(name + " " + number));
        }

        private static Map<String, Long> numbers(String which) {
            return switch (which) {
                case "sizes" -> sizesAndOffsets();
                case "constants" -> constants();
                default -> numbersOf(SyscallNumbers.class);
            };
        }
    }
}
