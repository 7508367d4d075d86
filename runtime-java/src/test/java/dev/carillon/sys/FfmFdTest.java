package dev.carillon.sys;

final class FfmFdTest extends FdContract {
    @Override
    LibC libc() {
        return LibCs.ffm();
    }
}
