package dev.carillon.doctor;

import dev.carillon.sys.LibC;
import java.util.ArrayList;
import java.util.List;

/**
 * Prints what this machine offers to Carillon and what to change where it does not; exits with 1 if something of ours
 * can't work here, else with 0.
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
        Report report = examine(Machine.real());
        boolean json = arguments.length == 1 && arguments[0].equals("--json");
        if (arguments.length > 0 && !json) {
            System.err.println("carillon doctor: unknown option " + arguments[0] + "; there is only --json");
            System.exit(2);
        }
        System.out.print(json ? report.toJson() : report.toText());
        System.out.flush();
        System.exit(report.exitCode());
    }

    private static Report examine(Machine machine) {
        List<Check> checks = new ArrayList<>();
        checks.addAll(PlatformChecks.run(machine, System.getProperty("os.arch", ""), Runtime.version()));
        checks.addAll(NativeChecks.run(machine));
        checks.addAll(SignalChecks.run());
        checks.addAll(LimitChecks.run(machine));
        boolean unpacksLibrary = LibC.choice().startsWith("jna");
        checks.addAll(SurroundingsChecks.run(machine, System.getProperty("java.io.tmpdir", "/tmp"), unpacksLibrary));
        return new Report(checks);
    }
}
