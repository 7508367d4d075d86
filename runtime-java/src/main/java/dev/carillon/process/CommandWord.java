package dev.carillon.process;

import dev.carillon.sys.FileNames;
import dev.carillon.sys.NativeBytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A program or an argument: text, which a child gets in UTF-8 whatever the locale is, or a path, of which it gets the bytes.
 *
 * <p>Text that came to this process as one of its own arguments is passed on as it came, where Java could not read it:
 * under LC_ALL=C there is a question mark or U+FFFD in it for each byte above 127.
 */
// r[impl process.words]
final class CommandWord {
    private static final String COMMAND_LINE = "/proc/self/cmdline";
    private static final char UNREADABLE = '\uFFFD';

    private final String text;
    private final @Nullable Path path;

    private CommandWord(String text, @Nullable Path path) {
        this.text = text;
        this.path = path;
    }

    static CommandWord of(String text) {
        return new CommandWord(Objects.requireNonNull(text, "a program or an argument"), null);
    }

    static CommandWord of(Path path) {
        return new CommandWord(path.toString(), path);
    }

    /** A program that is a path is never looked for on the PATH, so there is a slash in it. */
    static CommandWord program(Path path) {
        boolean hasFolder = path.isAbsolute() || path.getNameCount() > 1;
        return of(hasFolder ? path : Path.of(".").resolve(path));
    }

    /**
     * Without a zero at the end.
     *
     * @param what what it is, for the error
     */
    byte[] bytes(String what) {
        if (path != null) {
            return FileNames.bytesOf(path);
        }
        byte[] encoded = NativeBytes.encoded(what, text);
        boolean mayBeMisread = text.indexOf('?') >= 0 || text.indexOf(UNREADABLE) >= 0;
        byte[] original = mayBeMisread && isMisreading() ? ownArgument(text) : null;
        return original == null ? encoded : original;
    }

    private static boolean isMisreading() {
        String charset = System.getProperty("sun.jnu.encoding", "");
        return charset.equals("ANSI_X3.4-1968") || charset.equals("US-ASCII") || charset.equals("646");
    }

    /** The one that Java made this text of; null if there is none, or different ones. */
    private static byte @Nullable [] ownArgument(String text) {
        byte[] all = commandLine();
        byte[] found = null;
        int from = 0;
        for (int at = 0; at < all.length; at++) {
            if (all[at] == 0) {
                if (isMadeOf(text, all, from, at)) {
                    byte[] argument = Arrays.copyOfRange(all, from, at);
                    if (found != null && !Arrays.equals(found, argument)) {
                        return null;
                    }
                    found = argument;
                }
                from = at + 1;
            }
        }
        return found;
    }

    private static boolean isMadeOf(String text, byte[] all, int from, int to) {
        if (text.length() != to - from) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            byte b = all[from + i];
            boolean same = b >= 0 ? b == c : c == '?' || c == UNREADABLE;
            if (!same) {
                return false;
            }
        }
        return true;
    }

    private static byte[] commandLine() {
        try {
            return Files.readAllBytes(Path.of(COMMAND_LINE));
        } catch (IOException noProc) {
            return new byte[0]; // then the text of Java is all there is
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
