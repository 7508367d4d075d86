package dev.carillon.sys;

final class JnaAllocationTest extends AllocationContract {
    @Override
    LibC libc() {
        return LibCs.jna();
    }
}
