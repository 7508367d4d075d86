package dev.carillon.sys.code;

import dev.carillon.test.Programs;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** A machine that code is for: the one that this is, or another, by a cross compiler and an emulator. */
public enum Machine {
    X86_64("amd64", "x86_64"),
    AARCH64("aarch64", "aarch64");

    private final String arch;
    private final String name;

    Machine(String arch, String name) {
        this.arch = arch;
        this.name = name;
    }

    /** This one. */
    public static Machine here() {
        return X86_64.isHere() ? X86_64 : AARCH64;
    }

    public boolean isHere() {
        return System.getProperty("os.arch").equals(arch);
    }

    /** What the VM calls it: the property os.arch. */
    public String arch() {
        return arch;
    }

    /** A program that makes code for it, such as gcc or as. The test is skipped where there is none. */
    public String tool(String program) {
        if (isHere()) {
            Programs.need(program);
            return program;
        }
        return foreign(name + "-linux-gnu-" + program, "gcc-" + name.replace('_', '-') + "-linux-gnu");
    }

    /** The command that runs a program made for it, which has been linked statically if it is another machine. */
    public List<String> command(String program) {
        return isHere() ? List.of(program) : List.of(foreign("qemu-" + name + "-static", "qemu-user-static"), program);
    }

    /** They are large, so they may be missing everywhere, also in continuous integration. */
    private static String foreign(String program, String debian) {
        Assumptions.assumeTrue(
                Programs.isInstalled(program),
                () -> "missing program: " + program + "; on Debian: apt-get install " + debian);
        return program;
    }
}
