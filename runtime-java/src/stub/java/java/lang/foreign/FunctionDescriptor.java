package java.lang.foreign;

public interface FunctionDescriptor {
    static FunctionDescriptor of(MemoryLayout resLayout, MemoryLayout... argLayouts) {
        throw new UnsupportedOperationException();
    }
}
