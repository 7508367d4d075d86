package java.lang.foreign;

public interface ValueLayout extends MemoryLayout {
    OfLong JAVA_LONG = new OfLong() {};

    AddressLayout ADDRESS = new AddressLayout() {};

    interface OfLong extends ValueLayout {}
}
