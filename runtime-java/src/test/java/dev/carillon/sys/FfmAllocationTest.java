package dev.carillon.sys;

final class FfmAllocationTest extends AllocationContract {
    @Override
    LibC libc() {
        return LibCs.ffm();
    }
}
