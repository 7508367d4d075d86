package dev.carillon.test;

import java.util.List;

/**
 * Starts any program as a child: {@code ChildCommand.of("cat").start()}.
 *
 * <p><b>Threading</b> One thread at a time.
 */
public final class ChildCommand extends ChildBuilder<ChildCommand> {
    private final List<String> command;

    private ChildCommand(List<String> command) {
        this.command = command;
    }

    /** A program, by name or path, with its arguments. */
    public static ChildCommand of(String... command) {
        return new ChildCommand(List.of(command));
    }

    @Override
    public ChildProcess start() {
        return start(command, ChildProcess.Kind.PROGRAM, () -> {});
    }

    @Override
    ChildCommand self() {
        return this;
    }
}
