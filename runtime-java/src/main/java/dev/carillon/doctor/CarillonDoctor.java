package dev.carillon.doctor;

import dev.carillon.sys.JnaFolder;
import dev.carillon.sys.LibC;
import java.util.ArrayList;
import java.util.List;

/**
 * Prints what this machine offers to Carillon and what to change where it does not; exits with 1 if something of ours
 * can't work here, with 2 for words that it does not know, with 3 if it cannot write, else with 0.
 *
 * <p>Options: {@code --json} prints the same for programs.
 */
public final class CarillonDoctor {
    private CarillonDoctor() {}

    /**
     * Runs the doctor.
     *
     * @param arguments none, or {@code --json}
     */
    public static void main(String... arguments) {
        int known = known(arguments);
        if (known < arguments.length) {
            System.err.println("carillon doctor: unknown option " + arguments[known] + "; there is only --json, once");
            System.exit(2);
        }
        Report report = examine(Machine.real());
        System.out.print(arguments.length == 1 ? report.toJson() : report.toText());
        if (System.out.checkError()) {
            System.err.println("carillon doctor: the report could not be written;"
                    + " look at where standard output leads: is the disk full, or the reader gone?");
            System.exit(3);
        }
        System.exit(report.exitCode());
    }

    /** How many words at the front are ours. */
    private static int known(String... arguments) {
        return arguments.length > 0 && arguments[0].equals("--json") ? 1 : 0;
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
