package dev.carillon.lifecycle;

/** Ends the virtual machine. */
final class VmExit implements ExitHook {
    static final VmExit INSTANCE = new VmExit();

    private VmExit() {}

    @Override
    public void exit(int code) {
        leave(code, false);
    }

    @Override
    public void halt(int code) {
        leave(code, true);
    }

    /** The one door out of the process. */
    private static void leave(int code, boolean atOnce) {
        if (atOnce) {
            Runtime.getRuntime().halt(code);
        } else {
            Runtime.getRuntime().exit(code);
        }
    }
}
