package dev.carillon.benchmarks.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.benchmarks.model.Variant.JavaWorker;
import java.util.List;
import org.junit.jupiter.api.Test;

class VariantTest {
    @Test
    void aProgramGoesWithTheFlagsOfItsWorker() {
        Variant variant = Variant.oursFfm(VariantTest.class).with("load.c");

        JavaWorker worker = (JavaWorker) variant.launch();
        assertEquals(List.of("load.c"), worker.programs());
        assertEquals(List.of("-Dcarillon.libc=ffm"), worker.flags());
        assertEquals(Variant.OURS_FFM, variant.name());
    }

    @Test
    void onlyWorkersInJavaStartPrograms() {
        assertThrows(IllegalArgumentException.class, () -> Variant.c("echo.c").with("load.c"));
    }
}
