package dev.carillon.loop;

import dev.carillon.Availability;
import dev.carillon.sys.Feature;
import dev.carillon.sys.LibC;

/** What a loop asks the kernel with. */
public enum BackendKind {
    /** The best that this machine has. */
    AUTO,

    /** epoll(7): every Linux. */
    EPOLL,

    /** io_uring(7). */
    IO_URING,

    /** No native code: any operating system. */
    PORTABLE;

    /** Whether it can be used here, and if not, why. */
    public Availability availability() {
        return switch (this) {
            case AUTO, EPOLL -> epoll();
            case IO_URING -> notBuilt("the loop has no io_uring backend yet");
            case PORTABLE -> notBuilt("the loop has no portable backend yet");
        };
    }

    private Availability notBuilt(String why) {
        return Availability.unavailable(
                "backend " + this, new UnsupportedOperationException(why + "; use AUTO or EPOLL on Linux"));
    }

    private Availability epoll() {
        String subject = "backend " + this;
        Availability libc = LibC.availability();
        if (!libc.isAvailable()) {
            return Availability.unavailable(subject, new UnsupportedOperationException(libc.toString()));
        }
        Availability eventfd = Feature.EVENTFD.availability();
        return eventfd.isAvailable()
                ? Availability.available(subject)
                : Availability.unavailable(subject, new UnsupportedOperationException(eventfd.toString()));
    }

    /** What AUTO stands for here. */
    BackendKind resolved() {
        // First, so that without system calls every call fails in the same words.
        LibC.availability().ensureAvailability();
        availability().ensureAvailability();
        return this == AUTO ? EPOLL : this;
    }
}
