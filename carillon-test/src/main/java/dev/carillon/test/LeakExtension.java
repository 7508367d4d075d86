package dev.carillon.test;

import dev.carillon.test.ProcessSnapshot.Leftover;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

/**
 * Fails a test class that leaves descriptors, threads, mappings, children or changed signals behind.
 *
 * <p>Switch it on for all classes with {@code junit.jupiter.extensions.autodetection.enabled=true}, or for one with
 * {@code @ExtendWith(LeakExtension.class)}. It looks before the first and after the last test of each outermost class
 * (nested classes are part of it), waits up to thirty seconds for things that end by themselves or with a garbage
 * collection, and lists what is left. The configuration parameter {@value #PATIENCE} changes the thirty seconds
 * ({@code PT1S}). {@link LeakExempt} lets something stay.
 *
 * <p><b>Threading</b> What a process holds cannot be told apart by test class. A class is measured only if it ran alone
 * from beginning to end; with JUnit's parallel mode on for classes, a report entry says that it was not.
 */
public final class LeakExtension implements BeforeAllCallback, TestInstancePreConstructCallback {
    /** Configuration parameter of JUnit: how long to wait for leftovers to go, as {@link Duration#parse} reads it. */
    public static final String PATIENCE = "carillon.leaks.patience";

    private static final Namespace NAMESPACE = Namespace.create(LeakExtension.class);
    private static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(30);

    /** Called by JUnit. */
    public LeakExtension() {}

    /** With one instance per class JUnit makes it before anything else, and its fields may open things. */
    @Override
    public void preConstructTestInstance(TestInstanceFactoryContext instance, ExtensionContext context) {
        boolean perClass = context.getTestInstanceLifecycle()
                .filter(Lifecycle.PER_CLASS::equals)
                .isPresent();
        if (perClass && instance.getOuterInstance().isEmpty()) {
            begin(context);
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        if (outermost(context)) {
            begin(context);
        }
    }

    private static void begin(ExtensionContext context) {
        Store store = context.getStore(NAMESPACE);
        if (store.get(context.getRequiredTestClass()) == null) {
            Set<LeakKind> exempt = exempt(context);
            ProcessSnapshot before = ProcessSnapshot.take();
            store.put(context.getRequiredTestClass(), new Measurement(context, before, exempt));
        }
    }

    private static String message(ExtensionContext context, Duration patience, List<Leftover> leftovers) {
        String list =
                leftovers.stream().map(leftover -> "\n    " + leftover.what()).collect(Collectors.joining());
        String remedies = leftovers.stream()
                .map(Leftover::kind)
                .distinct()
                .map(kind -> "\n    " + kind + ": " + kind.remedy())
                .collect(Collectors.joining());
        return context.getRequiredTestClass().getName() + " left behind, seen for " + patience.toMillis()
                + " ms after its last test:" + list + "\nWhat to do, in the test or in what it tests:" + remedies
                + "\nWhat truly cannot go: @LeakExempt(kinds = ..., why = \"...\") on the class.";
    }

    private static Set<LeakKind> exempt(ExtensionContext context) {
        LeakExempt exempt = context.getRequiredTestClass().getAnnotation(LeakExempt.class);
        Set<LeakKind> kinds = EnumSet.noneOf(LeakKind.class);
        if (exempt != null) {
            if (exempt.why().isBlank()) {
                throw new IllegalArgumentException(
                        "@LeakExempt on " + context.getRequiredTestClass().getName() + " must say why=...");
            }
            kinds.addAll(Arrays.asList(exempt.kinds()));
        }
        return kinds;
    }

    /** A class template has a context of the same class around each of its rounds: each round is measured. */
    private static boolean outermost(ExtensionContext context) {
        return context.getParent()
                .flatMap(ExtensionContext::getTestClass)
                .filter(around -> around != context.getRequiredTestClass())
                .isEmpty();
    }

    /** One per launch: a launch inside a test (of an extension, say) counts its own classes. */
    private static RunningClasses classesOf(ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(RunningClasses.class, key -> new RunningClasses(), RunningClasses.class);
    }

    /** Says whether a class was alone all the time. */
    private static final class RunningClasses {
        private long entered;
        private int running;

        synchronized long enter() {
            running++;
            entered++;
            return running == 1 ? entered : 0;
        }

        synchronized boolean leave(long entry) {
            running--;
            return entry == entered;
        }
    }

    /**
     * From the first look at a class to the last.
     *
     * <p><b>Order</b> JUnit closes what a class stored in the opposite order, after all that its extensions do at the
     * end. This is the first thing stored, so all that other extensions store is closed when it looks again.
     */
    private static final class Measurement implements AutoCloseable {
        private final ExtensionContext context;
        private final ProcessSnapshot before;
        private final Set<LeakKind> exempt;
        private final long entry;
        private List<Leftover> leftovers = List.of();
        private int looks;

        Measurement(ExtensionContext context, ProcessSnapshot before, Set<LeakKind> exempt) {
            this.context = context;
            this.before = before;
            this.exempt = exempt;
            this.entry = classesOf(context).enter();
        }

        @Override
        public void close() {
            if (!classesOf(context).leave(entry)) {
                context.publishReportEntry("leaks", "not measured: other test classes ran at the same time");
                return;
            }
            Duration patience =
                    context.getConfigurationParameter(PATIENCE, Duration::parse).orElse(DEFAULT_PATIENCE);
            if (!Deadline.after(patience).poll(this::clean)) {
                throw new AssertionError(message(context, patience, leftovers));
            }
        }

        /**
         * Some things go with a garbage collection only, and some with the one after that: what a cleaner has released no longer
         * holds the cleaner. So the first looks have several, also where a busy machine has time for few looks.
         */
        private boolean clean() {
            if (Integer.bitCount(looks++) == 1) {
                System.gc();
            }
            leftovers = ProcessSnapshot.take().since(before).stream()
                    .filter(leftover -> !exempt.contains(leftover.kind()))
                    .toList();
            return leftovers.isEmpty();
        }
    }
}
