package dev.carillon.test;

import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Fills {@link Seeded} parameters, and tells the seed of a test that fails.
 *
 * <p>Each test has one seed; several parameters of one test get numbers of their own from it.
 */
public final class Seeds implements ParameterResolver, AfterEachCallback {
    /** System property that gives every test this seed. */
    public static final String PROPERTY = "carillon.seed";

    private static final Namespace NAMESPACE = Namespace.create(Seeds.class);

    /** Any odd number would do; this one spreads the bits of neighbours well. */
    private static final long STEP = 0x9E3779B97F4A7C15L;

    /** Called by JUnit. */
    public Seeds() {}

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return parameter.isAnnotated(Seeded.class)
                && (type == SplittableRandom.class || type == Random.class || type == long.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        long seed = seedOf(context) + parameter.getIndex() * STEP;
        Class<?> type = parameter.getParameter().getType();
        if (type == SplittableRandom.class) {
            return new SplittableRandom(seed);
        }
        return type == Random.class ? new Random(seed) : (Object) seed;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        context.getExecutionException().ifPresent(failure -> {
            SeedOfFailure note = new SeedOfFailure(context.getDisplayName(), seedOf(context));
            failure.addSuppressed(note);
            System.err.println(note.getMessage());
        });
    }

    private static long seedOf(ExtensionContext context) {
        return context.getStore(NAMESPACE).getOrComputeIfAbsent(PROPERTY, key -> newSeed(), Long.class);
    }

    private static long newSeed() {
        String given = System.getProperty(PROPERTY, "");
        return given.isBlank() ? new SplittableRandom().nextLong() : Long.parseLong(given);
    }

    /** Carries the seed into the report of the failure. */
    private static final class SeedOfFailure extends RuntimeException {
        private static final long serialVersionUID = 1;

        SeedOfFailure(String test, long seed) {
            super("Seed of " + test + ": " + seed + "; repeat it with -D" + PROPERTY + "=" + seed, null, false, false);
        }
    }
}
