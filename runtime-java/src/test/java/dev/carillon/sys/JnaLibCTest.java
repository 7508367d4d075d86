package dev.carillon.sys;

final class JnaLibCTest extends LibCContract {
    @Override
    LibC libc() {
        return LibCs.jna();
    }
}
