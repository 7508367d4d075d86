package dev.carillon.sys;

import dev.carillon.sys.layout.Architecture;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Says why system calls cannot be made here, and what to do. */
// r[impl sys.no-native]
final class LibCFailure {
    private static final String JNA_CLASSES = "com/sun/jna/";

    /** What C says of EMFILE. */
    private static final String NO_DESCRIPTOR = "Too many open files";

    /** What the VM says of a class whose initialization failed before. */
    private static final String POISONED = "Could not initialize class";

    private LibCFailure() {}

    static UnsupportedOperationException unknownMachine() {
        return new UnsupportedOperationException("system calls are known for Linux on x86-64 and aarch64, this is "
                + System.getProperty("os.name") + " on " + System.getProperty("os.arch")
                + "; run what needs them there, and ask BackendKind.AUTO.availability() before");
    }

    /** From what linking and trying a library has thrown; the other library's failure, if it was tried, is suppressed. */
    static UnsupportedOperationException of(Throwable thrown) {
        if (!Architecture.isKnown() && thrown instanceof UnsupportedOperationException known) {
            return known;
        }
        List<Throwable> all = roots(thrown);
        String why =
                String.join("; ", all.stream().map(LibCFailure::text).distinct().toList());
        String advice = isPoisoned(thrown)
                ? "there was no room when it was loaded first, and nothing is loaded twice: start this process anew"
                : advice(all);
        return new UnsupportedOperationException(why + "; " + advice, thrown);
    }

    /**
     * Returns if a library has failed for good; where there was only no room to load it, throws again what says so.
     *
     * @throws OutOfMemoryError or StackOverflowError, if one of them is at the root
     */
    // r[impl sys.first-call]
    static void throwIfForNow(Throwable thrown) {
        if (thrown instanceof NoRoomException none) {
            throw none;
        }
        Throwable root = root(thrown);
        if (root instanceof OutOfMemoryError || root instanceof StackOverflowError) {
            throw (VirtualMachineError) root;
        }
    }

    /** Whether a class could not be initialized the first time, which the VM then never does again. */
    private static boolean isPoisoned(Throwable thrown) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (t instanceof NoClassDefFoundError
                    && String.valueOf(t.getMessage()).startsWith(POISONED)) {
                return true;
            }
        }
        return Arrays.stream(thrown.getSuppressed()).anyMatch(LibCFailure::isPoisoned);
    }

    /** The option of the VM that lets this program reach C, be it on the class path or on the module path. */
    static String enablingOption() {
        return "--enable-native-access="
                + (LibCFailure.class.getModule().isNamed() ? "dev.carillon.runtime,com.sun.jna" : "ALL-UNNAMED");
    }

    private static List<Throwable> roots(Throwable thrown) {
        List<Throwable> roots = new ArrayList<>();
        roots.add(root(thrown));
        for (Throwable other : thrown.getSuppressed()) {
            roots.add(root(other));
        }
        return roots;
    }

    private static Throwable root(Throwable thrown) {
        Throwable root = thrown;
        for (Throwable cause = root.getCause(); cause != null; cause = root.getCause()) {
            root = cause;
        }
        return root;
    }

    private static String text(Throwable root) {
        if (isMissingJna(root)) {
            return "JNA is not on the class path or module path";
        }
        return root instanceof UnsatisfiedLinkError ? "cannot load " + root.getMessage() : root.toString();
    }

    private static boolean isMissingJna(Throwable root) {
        String message = String.valueOf(root.getMessage()).replace('.', '/');
        boolean missing = root instanceof ClassNotFoundException || root instanceof NoClassDefFoundError;
        return missing && message.contains(JNA_CLASSES) && !isPoisoned(root);
    }

    private static String advice(List<Throwable> roots) {
        if (roots.stream().anyMatch(root -> root.getClass().getSimpleName().equals("IllegalCallerException"))) {
            return "--illegal-native-access=deny is set: start with " + enablingOption();
        }
        if (roots.stream().anyMatch(LibCFailure::isMissingJna)) {
            return "add net.java.dev.jna:jna-jpms, or use JDK 22 or later, which needs no JNA";
        }
        if (roots.stream().anyMatch(root -> String.valueOf(root.getMessage()).contains(NO_DESCRIPTOR))) {
            return "no descriptor was free when it was loaded, and nothing is loaded twice: raise the limit (ulimit -n),"
                    + " and start this process again";
        }
        return "look whether " + JnaFolder.ofThisProcess() + ", where JNA unpacks its library, is mounted noexec: "
                + "-Djna.tmpdir names another folder, and JDK 22 or later needs none; on musl use an image with glibc";
    }
}
