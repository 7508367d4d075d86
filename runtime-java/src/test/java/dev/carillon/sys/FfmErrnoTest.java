package dev.carillon.sys;

final class FfmErrnoTest extends ErrnoContract {
    @Override
    LibC libc() {
        return LibCs.ffm();
    }
}
