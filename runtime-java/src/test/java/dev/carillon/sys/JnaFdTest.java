package dev.carillon.sys;

final class JnaFdTest extends FdContract {
    @Override
    LibC libc() {
        return LibCs.jna();
    }
}
