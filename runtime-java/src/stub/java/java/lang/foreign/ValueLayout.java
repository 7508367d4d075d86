package java.lang.foreign;

public interface ValueLayout extends MemoryLayout {
    OfLong JAVA_LONG = new OfLong() {};

    interface OfLong extends ValueLayout {}
}
