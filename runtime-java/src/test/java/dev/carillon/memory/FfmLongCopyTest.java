package dev.carillon.memory;

import dev.carillon.sys.LibCs;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.call.SysOver;

final class FfmLongCopyTest extends LongCopyContract {
    @Override
    Sys sys() {
        return SysOver.of(LibCs.ffm());
    }
}
