package dev.carillon.test;

/** What a test class can leave behind. */
public enum LeakKind {
    /** An open file, socket, pipe, epoll, eventfd and so on. */
    DESCRIPTOR("close it"),
    /** A Java thread that still runs. */
    THREAD("stop the thread and wait for its end"),
    /** A worker of the kernel that serves an io_uring of this process. */
    KERNEL_WORKER("close the ring that it works for"),
    /** Shared memory, a memfd, a mapped ring, or a mapping of a file that is deleted. */
    MAPPING("unmap it"),
    /** A child process that runs, or one that ended and was never waited for. */
    CHILD("end the child and wait for it"),
    /** What the process does on a signal: default, ignored, or a handler. */
    DISPOSITION("put back what was there before"),
    /** The signals that a thread blocks. */
    MASK("unblock what was blocked, in the same thread");

    private final String remedy;

    LeakKind(String remedy) {
        this.remedy = remedy;
    }

    String remedy() {
        return remedy;
    }
}
