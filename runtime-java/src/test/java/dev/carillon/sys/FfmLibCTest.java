package dev.carillon.sys;

final class FfmLibCTest extends LibCContract {
    @Override
    LibC libc() {
        return LibCs.ffm();
    }
}
