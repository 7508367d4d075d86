package dev.carillon.loop;

import dev.carillon.Availability;
import dev.carillon.loop.access.PolledLoop;
import dev.carillon.loop.access.Poller;
import dev.carillon.loop.access.PollerFactory;
import dev.carillon.sys.Feature;
import dev.carillon.sys.LibC;
import java.util.Locale;

/** The interface of the kernel that a loop uses. */
public enum BackendKind {
    /** The best that this machine has. */
    AUTO,

    /** epoll(7): every Linux. */
    EPOLL,

    /** io_uring(7). */
    IO_URING,

    /** No native code: any operating system. */
    PORTABLE;

    /** Whether this machine can use it, and if not, why. */
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

    /** Opens a poller of this kind; not of AUTO. Pollers stand above this package, so it finds their factory by name. */
    Poller open(PolledLoop loop) {
        String factory = "dev.carillon.io." + name().toLowerCase(Locale.ROOT) + ".Factory";
        try {
            return Class.forName(factory)
                    .asSubclass(PollerFactory.class)
                    .getDeclaredConstructor()
                    .newInstance()
                    .open(loop);
        } catch (ReflectiveOperationException missing) {
            throw new IllegalStateException(
                    "backend=" + this + ": class " + factory + " of this library cannot be used;"
                            + " is it complete on the class path or module path?",
                    missing);
        }
    }

    /** This kind, or for AUTO the kind that it stands for here. */
    BackendKind resolved() {
        // First, so that without system calls every call fails with the same message.
        LibC.availability().ensureAvailability();
        availability().ensureAvailability();
        return this == AUTO ? EPOLL : this;
    }
}
