package dev.carillon.sys.call;

import dev.carillon.sys.LibC;

/** The checked calls over a library that the test has chosen. */
public final class SysOver {
    private SysOver() {}

    public static Sys of(LibC libc) {
        return new Sys(libc);
    }
}
