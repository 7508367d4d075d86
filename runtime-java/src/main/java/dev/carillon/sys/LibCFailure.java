package dev.carillon.sys;

import dev.carillon.sys.layout.Architecture;
import java.util.ArrayList;
import java.util.List;

/** Says why system calls cannot be made here, and what to do. */
// r[impl sys.no-native]
final class LibCFailure {
    private static final String JNA_CLASSES = "com/sun/jna/";

    /** What C says of EMFILE. */
    private static final String NO_DESCRIPTOR = "Too many open files";

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
        return new UnsupportedOperationException(why + "; " + advice(all), thrown);
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
        return missing && message.contains(JNA_CLASSES);
    }

    private static String advice(List<Throwable> roots) {
        if (roots.stream().anyMatch(root -> root.getClass().getSimpleName().equals("IllegalCallerException"))) {
            return "--illegal-native-access=deny is set: start with " + LibC.enablingOption();
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
