package dev.carillon.signal;

import dev.carillon.Availability;
import dev.carillon.signal.forwarder.Forwarder;

/** How signals get to a loop. */
public enum CaptureKind {
    /** The forwarder where it works, else the JVM; {@code -Dcarillon.signals=forwarder|jvm} decides. */
    AUTO,

    /** A small handler of our own that sends each signal on to the loop thread, with its sender: Linux on x86-64. */
    FORWARDER,

    /** The JVM's handlers: any system, no sender, and not the signals that the VM keeps. */
    JVM;

    /** The property that decides. */
    static final String PROPERTY = "carillon.signals";

    /** Whether it can be used here, and if not, why; each attach also tries the whole way. */
    public Availability availability() {
        return this == FORWARDER ? Forwarder.availability() : Availability.available("capture " + this);
    }

    /** What the property makes of it. */
    CaptureKind decided() {
        String property = System.getProperty(PROPERTY);
        if (property == null) {
            return this;
        }
        return switch (property) {
            case "forwarder" -> FORWARDER;
            case "jvm" -> JVM;
            default ->
                throw new IllegalArgumentException("-D" + PROPERTY + "=" + property
                        + " is unknown; allowed are forwarder and jvm, or leave it out");
        };
    }
}
