package dev.carillon.benchmarks.model;

import java.util.List;

/** Variants and cases for tests, which start nothing. */
public final class Variants {
    public static final Variant OURS = of(Variant.OURS_FFM, Role.OURS);
    public static final Variant PEER = of("peer", Role.PEER);
    public static final Variant OTHER_PEER = of("other-peer", Role.PEER);
    public static final Variant C = of(Variant.C, Role.YARDSTICK);

    private Variants() {}

    public static Case.Builder caseWith(MeasureUnit unit, Variant... variants) {
        return Case.named("a case", "work").in(unit, Measure.TOTAL).by(List.of(variants));
    }

    private static Variant of(String name, Role role) {
        return new Variant(name, role, new Variant.CWorker("none.c", List.of()));
    }
}
