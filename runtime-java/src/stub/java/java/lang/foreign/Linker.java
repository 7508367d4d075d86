package java.lang.foreign;

import java.lang.invoke.MethodHandle;

public interface Linker {
    static Linker nativeLinker() {
        throw new UnsupportedOperationException();
    }

    SymbolLookup defaultLookup();

    MethodHandle downcallHandle(MemorySegment symbol, FunctionDescriptor function, Option... options);

    interface Option {
        static Option captureCallState(String... capturedState) {
            throw new UnsupportedOperationException();
        }
    }
}
