package java.lang.foreign;

public interface Arena {
    static Arena global() {
        throw new UnsupportedOperationException();
    }

    static Arena ofAuto() {
        throw new UnsupportedOperationException();
    }

    MemorySegment.Scope scope();
}
