package dev.carillon.lifecycle;

/** Threads for what may take long. <b>Threading:</b> any thread. */
final class Threads {
    private Threads() {}

    /** Has something done on a thread of its own, which keeps no VM alive. */
    static void begin(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Interrupts a thread, whose channel is closed by that where it is in one: whoever has made the channel may take any time
     * for it, so it does not happen here.
     */
    static void interrupt(Thread sleeper) {
        try {
            begin("carillon-interrupt", sleeper::interrupt);
        } catch (OutOfMemoryError noThread) {
            sleeper.interrupt();
        }
    }
}
