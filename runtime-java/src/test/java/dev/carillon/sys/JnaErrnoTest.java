package dev.carillon.sys;

final class JnaErrnoTest extends ErrnoContract {
    @Override
    LibC libc() {
        return LibCs.jna();
    }
}
