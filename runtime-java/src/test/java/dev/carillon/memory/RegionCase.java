package dev.carillon.memory;

import dev.carillon.sys.call.Sys;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** What tests of regions share: a factory over the library that the subclass names, and a folder. */
abstract class RegionCase {
    static final int PAGE = 4_096;

    @TempDir
    Path folder;

    Sys sys;
    RegionFactory regions;

    abstract Sys sys();

    @BeforeEach
    void open() {
        sys = sys();
        regions = new RegionFactory(sys);
    }
}
