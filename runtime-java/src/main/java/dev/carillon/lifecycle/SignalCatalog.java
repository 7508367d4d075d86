package dev.carillon.lifecycle;

import dev.carillon.Signal;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The signals that a lifecycle knows: their numbers, what they have a program do, exit codes and timeouts. The resource
 * {@code signals.yaml} beside this class says the same, and {@code signals.schema.json} is its schema.
 *
 * <p><b>Threading:</b> immutable; any thread.
 *
 * <p><b>See:</b> docs/spec/lifecycle.md.
 */
// r[impl life.catalog]
public final class SignalCatalog {
    private static final Map<String, SignalEntry> BY_NAME = byName();

    private SignalCatalog() {}

    private static Map<String, SignalEntry> byName() {
        Map<String, SignalEntry> names = new HashMap<>();
        for (SignalEntry entry : CatalogTable.ENTRIES) {
            names.put(entry.id(), entry);
            names.put(AsciiNames.lower(entry.name()), entry);
        }
        return names;
    }

    /** All signals of the catalog: eight that a program can handle, and KILL. */
    public static List<SignalEntry> entries() {
        return CatalogTable.ENTRIES;
    }

    /** What the catalog says of a signal; empty if it does not describe it. */
    public static Optional<SignalEntry> find(Signal signal) {
        return CatalogTable.ENTRIES.stream()
                .filter(entry -> entry.signal().equals(signal))
                .findFirst();
    }

    /** What a signal has a program do; one that the catalog does not describe means what its handlers do. */
    static SignalBehavior behavior(Signal signal) {
        return find(signal).map(SignalEntry::defaultBehavior).orElse(SignalBehavior.CUSTOM);
    }

    /** How long a shutdown may take that this signal begins. */
    static Duration timeout(Signal signal) {
        return find(signal).map(SignalEntry::timeout).orElseThrow();
    }

    /** Within which time a second Ctrl+C ends the process at once. */
    static Duration doubleTapWindow() {
        return find(Signal.SIGINT)
                .map(SignalEntry::doubleTap)
                .map(DoubleTapRule::window)
                .orElseThrow();
    }

    /** As {@link #resolve(String, Platform)} on the platform of this process. */
    public static @Nullable Signal resolve(String name) {
        return resolve(name, Platform.current());
    }

    /**
     * The signal of the catalog that a name or a number means: {@code SIGTERM}, {@code TERM}, {@code term} or {@code 15}.
     * A number is that of the platform. Nothing is guessed: blanks, signs and leading zeros make it another word.
     *
     * @return null if it means none
     */
    // r[impl life.resolve]
    public static @Nullable Signal resolve(String name, Platform platform) {
        SignalEntry named = BY_NAME.get(AsciiNames.lower(name));
        if (named != null) {
            return named.signal();
        }
        return CatalogTable.ENTRIES.stream()
                .map(SignalEntry::signal)
                .filter(signal -> name.equals(Integer.toString(platform.number(signal))))
                .findFirst()
                .orElse(null);
    }

    /**
     * The signals of the catalog whose name a pattern matches: {@code USR*}, {@code SIG?SR1}. A {@code *} stands for any
     * letters, a {@code ?} for one; case does not count; a name matches with or without SIG.
     *
     * @return in the order of the catalog; empty if none matches
     */
    public static List<Signal> match(String glob) {
        String pattern = AsciiNames.lower(glob);
        return CatalogTable.ENTRIES.stream()
                .filter(entry -> AsciiNames.matches(pattern, entry.id())
                        || AsciiNames.matches(pattern, AsciiNames.lower(entry.name())))
                .map(SignalEntry::signal)
                .toList();
    }

    /** The whole catalog as JSON, with the names of fields that {@code signals.yaml} has. */
    public static String toJson() {
        return JsonText.of(CatalogTree.whole());
    }
}
