package dev.carillon.benchmarks.model;

import java.util.List;
import java.util.Objects;

/**
 * One way to do the work of a case, in a process of its own.
 *
 * <p>Cases of one benchmark that name equal variants share the process.
 *
 * @param name what the tables say
 * @param role what it stands for
 * @param launch how its process is started
 */
public record Variant(String name, Role role, Launch launch) {
    /** The name of the C yardstick. */
    public static final String C = "c";

    /** The name of our code on java.lang.foreign. */
    public static final String OURS_FFM = "ours-ffm";

    /** The name of our code on JNA. */
    public static final String OURS_JNA = "ours-jna";

    /** Checks the arguments. */
    public Variant {
        Objects.requireNonNull(name);
        Objects.requireNonNull(role);
        Objects.requireNonNull(launch);
    }

    /** How the process of a variant is started. */
    public sealed interface Launch {}

    /**
     * A Java worker that stays for the whole run.
     *
     * @param jdk which JDK runs it
     * @param workload the class name of its {@code Workload}
     * @param flags options for the VM, before the usual ones
     * @param programs files under {@code src/main/c} that it starts: each is compiled, and named to it by the property
     *     {@code carillon.c.} and the file's name without its end
     */
    public record JavaWorker(Jdk jdk, String workload, List<String> flags, List<String> programs) implements Launch {
        /** Copies the lists. */
        public JavaWorker {
            flags = List.copyOf(flags);
            programs = List.copyOf(programs);
        }

        /** One that starts no programs. */
        public JavaWorker(Jdk jdk, String workload, List<String> flags) {
            this(jdk, workload, flags, List.of());
        }
    }

    /**
     * A compiled C program that stays for the whole run.
     *
     * @param source the file under {@code src/main/c}
     * @param args what the program is told
     */
    public record CWorker(String source, List<String> args) implements Launch {
        /** Copies the arguments. */
        public CWorker {
            args = List.copyOf(args);
        }
    }

    /**
     * A fresh VM for each operation, which prints one line; the figure is a wall time.
     *
     * @param jdk which JDK runs it
     * @param mainClass its main class
     * @param flags options for the VM
     * @param archive what it finds prepared, made beforehand with the same flags
     * @param span what is measured
     */
    public record FreshVm(Jdk jdk, String mainClass, List<String> flags, Archive archive, Span span) implements Launch {
        /** Copies the flags. */
        public FreshVm {
            flags = List.copyOf(flags);
        }
    }

    /**
     * A fresh VM for each operation, which prints one line and then rests until it is sent SIGTERM; the figure is its
     * memory.
     *
     * @param jdk which JDK runs it
     * @param mainClass its main class
     * @param flags options for the VM
     */
    public record IdleVm(Jdk jdk, String mainClass, List<String> flags) implements Launch {
        /** Copies the flags. */
        public IdleVm {
            flags = List.copyOf(flags);
        }
    }

    /** Which part of a VM's life is measured. */
    public enum Span {
        /** From its start to its line. */
        START_TO_LINE,
        /** From its line to its end. */
        LINE_TO_END
    }

    /** What a fresh VM finds prepared besides the JDK's own class data. */
    public enum Archive {
        /** Nothing. */
        NONE,
        /** An archive of class data. */
        CLASS_DATA,
        /** JDK 25's cache of classes that are loaded and linked already. */
        AOT_CACHE
    }

    /** Which of the two JDKs of a run. */
    public enum Jdk {
        /** The one that runs the harness. */
        MAIN,
        /** The newest one from 22 on; the same as the main one where that is new enough. */
        SECOND
    }

    /** Returns this variant in Java with a C program that its worker starts. */
    public Variant with(String program) {
        if (launch instanceof JavaWorker java) {
            return new Variant(name, role, new JavaWorker(java.jdk(), java.workload(), java.flags(), List.of(program)));
        }
        throw new IllegalArgumentException("variant=" + name + " is no worker in Java");
    }

    /** Returns our code on java.lang.foreign, on the second JDK. */
    public static Variant oursFfm(Class<?> workload) {
        return new Variant(
                OURS_FFM, Role.OURS, new JavaWorker(Jdk.SECOND, workload.getName(), List.of("-Dcarillon.libc=ffm")));
    }

    /** Returns our code on JNA, on the main JDK. */
    public static Variant oursJna(Class<?> workload) {
        return new Variant(
                OURS_JNA, Role.OURS, new JavaWorker(Jdk.MAIN, workload.getName(), List.of("-Dcarillon.libc=jna")));
    }

    /** Returns a peer in Java, on the chosen JDK. */
    public static Variant peer(String name, Jdk jdk, Class<?> workload) {
        return peer(name, jdk, workload, List.of());
    }

    /** Returns a peer in Java with the flags that its makers advise. */
    public static Variant peer(String name, Jdk jdk, Class<?> workload, List<String> flags) {
        return new Variant(name, Role.PEER, new JavaWorker(jdk, workload.getName(), flags));
    }

    /** Returns something to compare with that nobody would pick instead. */
    public static Variant base(String name, Jdk jdk, Class<?> workload) {
        return new Variant(name, Role.BASE, new JavaWorker(jdk, workload.getName(), List.of()));
    }

    /** Returns the C yardstick in a file under {@code src/main/c}. */
    public static Variant c(String source) {
        return new Variant(C, Role.YARDSTICK, new CWorker(source, List.of()));
    }

    /** Returns the same yardstick in a process of one thread, which the kernel serves faster than any VM. */
    public static Variant cWithOneThread(String source) {
        return new Variant(C + "-one-thread", Role.YARDSTICK, new CWorker(source, List.of("one-thread")));
    }
}
