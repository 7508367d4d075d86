package dev.carillon.test;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;

/** Stacks of threads as text, in full, with what each one waits for. */
final class ThreadDump {
    private static final String FRAME = "\n        at ";

    private ThreadDump() {}

    /** Every thread of this VM. */
    static String ofAll() {
        StringBuilder text = new StringBuilder("Threads of this VM:");
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true)) {
            text.append("\n    \"")
                    .append(thread.getThreadName())
                    .append("\" (id ")
                    .append(thread.getThreadId());
            text.append(thread.isDaemon() ? ", daemon, " : ", ").append(thread.getThreadState());
            if (thread.getLockName() != null) {
                text.append(", waits for ").append(thread.getLockName());
            }
            if (thread.getLockOwnerName() != null) {
                text.append(" held by \"").append(thread.getLockOwnerName()).append('"');
            }
            text.append(')');
            append(text, thread.getStackTrace());
        }
        return text.toString();
    }

    /** One thread, by what it tells itself. */
    static String of(Thread thread) {
        StringBuilder text = new StringBuilder("thread \"").append(thread.getName());
        text.append("\" (id ").append(thread.getId());
        text.append(thread.isDaemon() ? ", daemon, " : ", ")
                .append(thread.getState())
                .append(')');
        append(text, thread.getStackTrace());
        return text.toString();
    }

    private static void append(StringBuilder text, StackTraceElement[] frames) {
        for (StackTraceElement frame : frames) {
            text.append(FRAME).append(frame);
        }
    }
}
