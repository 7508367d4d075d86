package dev.carillon.test;

import dev.carillon.test.proc.SignalState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How a child process is started; {@link ChildCommand} and {@link ChildJvm} say what is started.
 *
 * <p>A child ignores no signal but those that the test names. What this process ignores, because it was started by
 * {@code nohup} or in the background, the child would inherit; GNU env 8.31 gives it the default back.
 *
 * <p><b>Threading</b> One thread at a time.
 */
public abstract sealed class ChildBuilder<B extends ChildBuilder<B>> permits ChildCommand, ChildJvm {
    /** Two that the C library keeps for itself; no program can change what they do. */
    private static final Set<Integer> OF_LIBC = Set.of(32, 33);

    private final Map<String, Optional<String>> environment = new LinkedHashMap<>();
    private final List<String> prefix = new ArrayList<>();
    private final List<String> user = new ArrayList<>();
    private final List<String> blocked = new ArrayList<>();
    private final List<String> ignored = new ArrayList<>();
    private @Nullable Path workingDirectory;
    private boolean isAtTerminal;

    ChildBuilder() {}

    /** Adds an environment variable; the others are those of this process. */
    public B environment(String name, String value) {
        environment.put(name, Optional.of(value));
        return self();
    }

    /** Removes an environment variable. */
    public B withoutEnvironment(String name) {
        environment.put(name, Optional.empty());
        return self();
    }

    /** Starts it in that folder; else in the one of this process. */
    public B workingDirectory(Path folder) {
        workingDirectory = folder;
        return self();
    }

    /** Starts it with these signals blocked, {@code "USR1"} or {@code "10"} (needs GNU env 8.31). */
    public B blockSignals(String... signals) {
        blocked.addAll(List.of(signals));
        return self();
    }

    /** Starts it with these signals ignored, {@code "HUP"} or {@code "1"} (needs GNU env 8.31). */
    public B ignoreSignals(String... signals) {
        ignored.addAll(List.of(signals));
        return self();
    }

    /** Starts it as another user without further groups; only root may do that (needs setpriv). */
    public B user(int uid, int gid) {
        user.clear();
        user.addAll(List.of("setpriv", "--reuid=" + uid, "--regid=" + gid, "--clear-groups"));
        return self();
    }

    /** Starts it through another program that runs the rest of its command line: nohup, setsid, unshare and so on. */
    public B prefix(String... command) {
        prefix.clear();
        prefix.addAll(List.of(command));
        return self();
    }

    /**
     * Starts it at a terminal of its own, behind the prefix (needs {@code script} of util-linux). What is written to it is typed:
     * {@code "\u0003"} is Ctrl+C, and the terminal makes the signal. All that it prints comes on standard output, with what was
     * typed among it. The pid of a program that is no VM is that of {@code script}.
     */
    public B atTerminal() {
        isAtTerminal = true;
        return self();
    }

    /**
     * Starts the child.
     *
     * <p><b>Ownership</b> The caller closes what is returned; that ends the child, too.
     */
    public abstract ChildProcess start();

    /**
     * Starts the child, and waits for its end.
     *
     * @throws AssertionError when it does not end in time, with what it printed
     */
    public final ChildExit run(Duration limit) {
        try (ChildProcess child = start()) {
            return child.awaitExit(limit);
        }
    }

    abstract B self();

    final boolean otherUser() {
        return !user.isEmpty();
    }

    /** From the outside in: the prefix sees this process's user and may ignore signals, the signals are set last. */
    final ChildProcess start(Collection<String> program, ChildProcess.Kind kind, ChildProcess.Belongings belongings) {
        List<String> defaults = defaultSignals();
        List<String> command = new ArrayList<>(defaults);
        command.addAll(prefix);
        List<String> rest = new ArrayList<>(user);
        if (!blocked.isEmpty() || !ignored.isEmpty()) {
            rest.add("env");
            addSignals(rest, "--block-signal=", blocked);
            addSignals(rest, "--ignore-signal=", ignored);
        }
        rest.addAll(program);
        command.addAll(isAtTerminal ? List.of("script", "-qec", "exec " + quoted(rest), "/dev/null") : rest);
        ProcessBuilder builder = new ProcessBuilder(command);
        if (isAtTerminal) {
            builder.environment().put("SHELL", "/bin/sh");
        }
        if (workingDirectory != null) {
            builder.directory(workingDirectory.toFile());
        }
        environment.forEach((name, value) -> value.ifPresentOrElse(
                given -> builder.environment().put(name, given),
                () -> builder.environment().remove(name)));
        try {
            if (!defaults.isEmpty()) {
                // Otherwise env would be started, and would say so on its standard error.
                ensureIsThere(command.get(defaults.size()), builder);
            }
            return ChildProcess.start(builder, kind, belongings);
        } catch (IOException failure) {
            belongings.close();
            throw new UncheckedIOException("Cannot start " + command + ": is it installed?", failure);
        }
    }

    /** Script hands its command to a shell. */
    private static String quoted(List<String> words) {
        return words.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }

    private static void ensureIsThere(String program, ProcessBuilder builder) throws IOException {
        boolean there = program.contains("/")
                ? Files.isExecutable(Path.of(
                                builder.directory() == null
                                        ? ""
                                        : builder.directory().getPath())
                        .resolve(program))
                : Programs.isInstalled(program, builder.environment().getOrDefault("PATH", ""));
        if (!there) {
            throw new NoSuchFileException(program);
        }
    }

    /** What resets the signals that this process ignores; nothing where it ignores none. */
    private static List<String> defaultSignals() {
        long ignored = SignalState.read("/proc/self").orElseThrow().ignored();
        String signals = IntStream.rangeClosed(1, SignalState.LAST_SIGNAL)
                .filter(signal -> SignalState.has(ignored, signal) && !OF_LIBC.contains(signal))
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(","));
        return signals.isEmpty() ? List.of() : List.of("env", "--default-signal=" + signals);
    }

    private static void addSignals(List<String> command, String option, List<String> signals) {
        if (!signals.isEmpty()) {
            command.add(option + String.join(",", signals));
        }
    }
}
