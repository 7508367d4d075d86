package dev.carillon.doctor;

import dev.carillon.lifecycle.ExitHook;
import dev.carillon.lifecycle.Platform;
import dev.carillon.lifecycle.SignalCatalog;
import dev.carillon.sys.JnaFolder;
import dev.carillon.sys.LibC;
import java.util.ArrayList;
import java.util.List;

/**
 * Prints what this machine offers to Carillon and what to change where it does not; exits with 1 if something of ours
 * can't work here, with 2 for words that it does not know, with 3 if it cannot write, else with 0.
 *
 * <p>With {@code signals} as its first word it prints the catalog of signals instead.
 *
 * <p>Options: {@code --json} prints the same for programs.
 */
public final class CarillonDoctor {
    private static final String SIGNALS = "signals";

    private CarillonDoctor() {}

    /**
     * Runs the doctor.
     *
     * @param arguments none, or {@code --json}; before it {@code signals} for the catalog
     */
    public static void main(String... arguments) {
        ExitHook.ofVm().exit(run(arguments));
    }

    /** Returns the exit code. */
    private static int run(String... arguments) {
        List<String> words = List.of(arguments);
        boolean signals = !words.isEmpty() && words.get(0).equals(SIGNALS);
        List<String> options = signals ? words.subList(1, words.size()) : words;
        String name = signals ? "carillon signals" : "carillon doctor";
        int known = known(options);
        if (known < options.size()) {
            System.err.println(name + ": unknown option " + options.get(known) + "; there is only --json, once");
            return 2;
        }
        int code = signals ? list(known > 0) : report(known > 0);
        if (System.out.checkError()) {
            System.err.println(name + ": the " + (signals ? "list" : "report") + " could not be written;"
                    + " look at where standard output leads: is the disk full, or the reader gone?");
            return 3;
        }
        return code;
    }

    /** How many words at the front are ours. */
    private static int known(List<String> options) {
        return !options.isEmpty() && options.get(0).equals("--json") ? 1 : 0;
    }

    private static int list(boolean json) {
        System.out.print(json ? SignalCatalog.toJson() : SignalList.toText(Platform.current()));
        return 0;
    }

    private static int report(boolean json) {
        Report report = examine(Machine.real());
        System.out.print(json ? report.toJson() : report.toText());
        return report.exitCode();
    }

    private static Report examine(Machine machine) {
        boolean accessEnabled = AccessCheck.isEnabled();
        List<Check> checks = new ArrayList<>();
        checks.addAll(PlatformChecks.run(machine, System.getProperty("os.arch", ""), Runtime.version()));
        checks.addAll(NativeChecks.run(machine));
        checks.add(AccessCheck.run(accessEnabled));
        checks.addAll(SignalChecks.run());
        checks.addAll(LimitChecks.run(machine));
        // Also where JNA was tried in vain: then this may be why.
        boolean unpacksLibrary = !LibC.choice().startsWith("ffm");
        checks.addAll(SurroundingsChecks.run(machine, JnaFolder.ofThisProcess(), unpacksLibrary));
        return new Report(checks);
    }
}
