package dev.carillon.process;

import dev.carillon.loop.EventLoop;
import dev.carillon.process.ChildWatch.Leads;
import dev.carillon.sys.Errno;
import dev.carillon.sys.call.SpawnPlan;
import dev.carillon.sys.call.Sys;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Starts children.
 *
 * <pre>{@code
 * Child child = Spawn.command("sort", "-u").stdin(Stdio.from(names)).stdout(Stdio.pipe()).start(loop);
 * child.exit().thenAccept(status -> System.out.println("sort: " + status));
 * }</pre>
 *
 * <p>A child begins with no signal blocked, with default dispositions, and with exactly the descriptors that were asked
 * for. Its end is seen through a pidfd on a loop, or where there is none by looking for it; no thread waits for it.
 *
 * <p><b>See:</b> posix_spawn(3), pidfd_open(2).
 */
public final class Spawn {
    private Spawn() {}

    /** A program by its path, or by a name that is looked for on the PATH of this process; then its arguments. */
    public static Builder command(String program, String... arguments) {
        return new Builder(CommandWord.of(program)).arguments(List.of(arguments));
    }

    /**
     * A program by its path, whose bytes are used as they are, whatever the locale is; then its arguments. It is never
     * looked for on the PATH.
     */
    public static Builder command(Path program, String... arguments) {
        return new Builder(CommandWord.program(program)).arguments(List.of(arguments));
    }

    /** A program, and behind it its arguments; a prefix such as nice(1) is the program then. */
    // r[impl process.prefix]
    public static Builder command(List<String> words) {
        if (words.isEmpty()) {
            throw new IllegalArgumentException("words=[]: the first one is the program");
        }
        return new Builder(CommandWord.of(words.get(0))).arguments(words.subList(1, words.size()));
    }

    /**
     * How a child is to be started; can be started more than once.
     *
     * <p><b>Threading:</b> one thread at a time.
     */
    public static final class Builder {
        /** A gap below the highest number costs a step in the child. */
        private static final int HIGHEST = 1_023;

        private static final int FIRST_FREE = 3;
        private static final long NO_SIGNAL = 0;
        private static final long ALL_SIGNALS = -1;

        private final List<CommandWord> words = new ArrayList<>();
        private final Environment environment = Environment.inherited();
        private final Stdio[] stdio = {Stdio.UNSET, Stdio.UNSET, Stdio.UNSET};

        /** Numbers of the child to ours. */
        private final Map<Integer, Integer> inherited = new TreeMap<>();

        private @Nullable CommandWord firstWord;
        private @Nullable Path directory;
        private boolean keepsIgnored = true;
        private Leads leads = Leads.NOTHING;

        /** Whose group it joins. */
        private @Nullable ChildWatch leader;

        private @Nullable Duration graceAtLoopEnd;

        private Builder(CommandWord program) {
            words.add(program);
        }

        /** Adds arguments, which it gets in UTF-8. */
        public Builder arguments(List<String> more) {
            more.forEach(text -> words.add(CommandWord.of(text)));
            return this;
        }

        /** Adds an argument, the bytes of a path as they are, whatever the locale is. */
        public Builder argument(Path path) {
            words.add(CommandWord.of(path));
            return this;
        }

        /** What it gets as its own name (argv[0]), in UTF-8, instead of the program as it was given. */
        // r[impl process.arg0]
        public Builder arg0(String name) {
            firstWord = CommandWord.of(name);
            return this;
        }

        /** Sets a variable of its environment, which is ours to begin with. */
        public Builder environment(String name, String value) {
            environment.put(name, Objects.requireNonNull(value, "value"));
            return this;
        }

        /** Takes a variable out of its environment. */
        public Builder withoutEnvironment(String name) {
            environment.remove(name);
            return this;
        }

        /** Empties its environment. */
        public Builder clearEnvironment() {
            environment.clear();
            return this;
        }

        /** Its working directory; ours if not set. A program with a path that is not absolute is looked for there. */
        public Builder directory(Path folder) {
            directory = Objects.requireNonNull(folder, "folder");
            return this;
        }

        /** What it reads; our standard input if not set. */
        public Builder stdin(Stdio input) {
            stdio[0] = input.ensureFits("stdin", true);
            return this;
        }

        /** Where it writes; our standard output if not set. */
        public Builder stdout(Stdio output) {
            stdio[1] = output.ensureFits("stdout", false);
            return this;
        }

        /** Where it writes errors; our error output if not set. */
        public Builder stderr(Stdio output) {
            stdio[2] = output.ensureFits("stderr", false);
            return this;
        }

        /**
         * Hands a descriptor over: in the child it has a number of its own, and is inherited only there.
         *
         * <p><b>Ownership:</b> stays the caller's, who keeps it open until the start has returned, and closes it then
         * unless both are to have it.
         *
         * @param fd an open descriptor of ours
         * @param asNumber what the child knows it by, 3 to 1,023 and below the limit of descriptors (ulimit -n)
         */
        public Builder inherit(int fd, int asNumber) {
            if (fd < 0) {
                throw new IllegalArgumentException("fd=" + fd + ": a descriptor is not negative");
            }
            if (asNumber < FIRST_FREE || asNumber > HIGHEST) {
                throw new IllegalArgumentException("asNumber=" + asNumber + ": "
                        + (asNumber > HIGHEST
                                ? "a child is handed numbers up to " + HIGHEST + ", whatever its limit of descriptors"
                                        + " (ulimit -n) is, since each unused number below costs a step; choose 3 to "
                                        + HIGHEST
                                : "3 to " + HIGHEST + "; 0 to 2 are set with stdin, stdout and stderr"));
            }
            if (inherited.putIfAbsent(asNumber, fd) != null) {
                throw new IllegalArgumentException("asNumber=" + asNumber + ": is taken by another descriptor");
            }
            return this;
        }

        /** Takes back what {@link #inherit} has set for a number of the child. */
        public Builder withoutInherited(int asNumber) {
            inherited.remove(asNumber);
            return this;
        }

        /**
         * Puts it into a group of its own, which it leads: Ctrl-C at the terminal does not reach it, nor the signals that a shell
         * or a service manager sends to our group, and {@link Child#sendToGroup} reaches all that it starts. At a terminal it is
         * in the background: if it reads there, it is stopped (SIGTTIN).
         */
        // r[impl process.group]
        public Builder ownGroup() {
            return leading(Leads.GROUP, null);
        }

        /**
         * Has it lead a session of its own, and with that a group: it has no terminal, so that no hangup of ours reaches it.
         */
        public Builder ownSession() {
            return leading(Leads.SESSION, null);
        }

        /**
         * Puts it into the group of an earlier child, which is to be alive at the start.
         *
         * @param child was started with {@code ownGroup}, or with this
         * @throws IllegalArgumentException if that child is in our group, or leads a session, in which only its own children are
         */
        public Builder inGroupOf(Child child) {
            ChildWatch first = Objects.requireNonNull(child, "child").leader;
            if (first == null || first.leads(Leads.SESSION)) {
                throw new IllegalArgumentException(child
                        + (first == null
                                ? " is in the group of this process; start it with ownGroup()"
                                : " is in a session of its own, which no other process can join; use ownGroup()"));
            }
            return leading(Leads.NOTHING, first);
        }

        private Builder leading(Leads what, @Nullable ChildWatch joined) {
            GroupChoice.ensureNoOther(this, leads, leader, what, joined);
            leads = what;
            leader = joined;
            return this;
        }

        /**
         * Has it end with the loop on which it is started, as by {@link Child#end}: when that loop ends, or the VM exits, before the
         * child does. A VM that exits does not wait for the grace; SIGTERM is sent in any case.
         *
         * @throws IllegalArgumentException if the grace is negative
         */
        public Builder endWithLoop(Duration grace) {
            graceAtLoopEnd = Graces.ensureNotNegative(grace);
            return this;
        }

        /** Gives it default dispositions also for signals that were ignored when this process began (as by nohup). */
        public Builder resetIgnored() {
            keepsIgnored = false;
            return this;
        }

        /**
         * Starts it, watched on the {@linkplain EventLoop#shared() shared loop}. While the VM exits and that loop is
         * stopped, as in a shutdown hook, it is started all the same, and its end is looked for; only pipes need the
         * loop.
         *
         * @throws RejectedExecutionException if it is to have pipes, and the VM exits
         */
        // r[impl process.loop-end]
        public Child start() {
            EventLoop shared = EventLoop.shared();
            if (shared.isStopping() && hasPipes()) {
                throw new RejectedExecutionException("the VM exits and has stopped " + shared
                        + ", on which the pipes of " + this
                        + " would live; hold the loops (EventLoop.holdExit), or use files");
            }
            return startOn(shared, stdio, graceAtLoopEnd);
        }

        private boolean hasPipes() {
            return Arrays.stream(stdio).anyMatch(end -> end.kind == Stdio.Kind.PIPE);
        }

        /**
         * Starts it; returns when its program runs, which takes about a millisecond.
         *
         * @param loop watches for its end and has its pipes; if it ends before the child, the shared loop goes on
         * @throws SpawnException if the program cannot be run
         * @throws dev.carillon.SyscallException if a file cannot be opened, or no descriptors are left
         * @throws IllegalArgumentException if a number to inherit is not below the limit of descriptors (ulimit -n)
         * @throws IllegalStateException if it is to join the group of a child that has ended
         * @throws RejectedExecutionException if the loop is stopping or has ended
         */
        public Child start(EventLoop loop) {
            ensureGoesOn(loop);
            return startOn(loop, stdio, graceAtLoopEnd);
        }

        /** Starts it and collects its output with the default options, else as {@link #collect(EventLoop, OutputOptions)}. */
        public OutputCollection collect(EventLoop loop) {
            return collect(loop, OutputOptions.defaults());
        }

        /**
         * Starts it, and collects what it writes: its standard output and its error output, unless one of those was set, as to a
         * file. It reads the input of the options, and nothing if there is none, unless {@code stdin} was set.
         *
         * @param loop reads, and watches for its end; if it ends first, the child is ended, and the future fails
         * @throws IllegalStateException if there are both an input and a {@code stdin}; and as {@link #start(EventLoop)}
         */
        public OutputCollection collect(EventLoop loop, OutputOptions options) {
            ensureGoesOn(loop);
            Stdio input = stdio[0];
            if (input == Stdio.UNSET) {
                input = options.input == null ? Stdio.nothing() : Stdio.pipe();
            } else if (options.input != null) {
                throw new IllegalStateException(
                        "stdin=" + input + ", and there is an input in the options, too; the child can read only one");
            }
            Stdio[] standard = {input, pipeIfUnset(stdio[1]), pipeIfUnset(stdio[2])};
            Duration grace = graceAtLoopEnd == null ? options.grace : graceAtLoopEnd;
            return OutputCollection.of(loop, startOn(loop, standard, grace), options);
        }

        private static Stdio pipeIfUnset(Stdio output) {
            return output == Stdio.UNSET ? Stdio.pipe() : output;
        }

        private static void ensureGoesOn(EventLoop loop) {
            if (loop.isStopping() || loop.isTerminated()) {
                throw new RejectedExecutionException(loop
                        + " is stopping or has ended and can watch no child; open another loop, or call start(), which"
                        + " finds a watcher also while the VM exits");
            }
        }

        // r[impl process.spawn] r[impl process.no-leak]
        private Child startOn(EventLoop loop, Stdio[] standard, @Nullable Duration grace) {
            Sys sys = Sys.get();
            ChildDescriptors descriptors = ChildDescriptors.prepare(sys, loop, standard, inherited);
            boolean started = false;
            try (descriptors;
                    SpawnPlan plan = sys.processes().plan()) {
                ProcessEnd exit = new ProcessEnd(loop);
                ChildWatch watch = new ChildWatch(sys, loop, exit, leads, grace);
                Child child = new Child(watch, leads == Leads.NOTHING ? leader : watch, exit, descriptors.ours());
                int pid = spawnInGroup(sys, plan, descriptors);
                if (pid < 0) {
                    throw SpawnException.of(-pid, words.get(0).toString(), directory);
                }
                watch.begin(pid);
                started = true;
                return child;
            } finally {
                if (!started) {
                    descriptors.closeOurs();
                }
            }
        }

        /** The leader of the group is held meanwhile: its number is that of the group, and no other's. */
        private int spawnInGroup(Sys sys, SpawnPlan plan, ChildDescriptors descriptors) {
            ChildWatch joined = leader;
            switch (leads) {
                case GROUP -> plan.group(0);
                case SESSION -> plan.session();
                case NOTHING -> {}
            }
            if (joined == null) {
                return spawn(sys, plan, descriptors);
            }
            if (!joined.hold()) {
                throw new IllegalStateException(
                        "child " + joined.pid() + " has ended, and its group cannot be joined any" + " more; start "
                                + this + " with ownGroup(), or earlier");
            }
            try {
                plan.group(joined.pid());
                int pid = spawn(sys, plan, descriptors);
                if (pid == -Errno.EPERM && !joined.sendToGroup(0)) {
                    throw SpawnException.noGroup(words.get(0).toString(), joined.pid());
                }
                return pid;
            } finally {
                joined.release();
            }
        }

        // r[impl process.clean]
        private int spawn(Sys sys, SpawnPlan plan, ChildDescriptors descriptors) {
            plan.mask(NO_SIGNAL);
            plan.defaults(keepsIgnored ? ALL_SIGNALS & ~sys.signals().ignoredAtStart() : ALL_SIGNALS);
            descriptors.addTo(plan);
            if (directory != null) {
                plan.directory(directory);
            }
            List<byte[]> arguments = IntStream.range(0, words.size())
                    .mapToObj(i -> words.get(i).bytes(i == 0 ? "the program" : "argument " + i))
                    .toList();
            byte[] program = arguments.get(0);
            return plan.spawn(program, withFirstWord(arguments), environment.entries());
        }

        private List<byte[]> withFirstWord(List<byte[]> arguments) {
            if (firstWord == null) {
                return arguments;
            }
            List<byte[]> renamed = new ArrayList<>(arguments);
            renamed.set(0, firstWord.bytes("arg0"));
            return renamed;
        }

        @Override
        public String toString() {
            return "Spawn" + words;
        }
    }
}
