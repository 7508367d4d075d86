package dev.carillon.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

class LeakExtensionTest {
    private static final Path NULL = Path.of("/dev/null");
    private static final Map<String, String> IMPATIENT = Map.of(LeakExtension.PATIENCE, "PT0.2S");
    private static final Map<String, String> PATIENT = Map.of();
    private static final long SECONDS_TO_MEET = 30;
    private static final Planted PLANTED = new Planted();

    @AfterEach
    void removeWhatTheFixturesLeft() throws Exception {
        PLANTED.removeAll();
    }

    @Test
    void aClassThatCleansUpPasses() {
        assertEquals(List.of(), Fixtures.run(IMPATIENT, CleansUp.class).failures);
    }

    @Test
    void aDescriptorIsCaught() {
        String failure = Fixtures.run(IMPATIENT, LeavesDescriptor.class).onlyFailure();
        assertTrue(failure.contains("LeavesDescriptor left behind"), failure);
        assertTrue(failure.matches("(?s).*descriptor \\d+ -> /dev/null\\n.*DESCRIPTOR: close it.*"), failure);
    }

    @Test
    void aThreadIsCaughtWithItsStack() {
        String failure = Fixtures.run(IMPATIENT, LeavesThread.class).onlyFailure();
        assertTrue(failure.contains("thread \"planted\""), failure);
        assertTrue(failure.contains("CountDownLatch.await"), failure);
    }

    @Test
    void aMappingIsCaught() {
        String failure = Fixtures.run(IMPATIENT, LeavesMapping.class).onlyFailure();
        assertTrue(failure.matches("(?s).*mapping of \\S*planted\\S* .*: 0 bytes before, 4096 now.*"), failure);
    }

    @Test
    void aChildIsCaughtWithItsCommandLine() {
        String failure = Fixtures.run(IMPATIENT, LeavesChild.class).onlyFailure();
        assertTrue(failure.matches("(?s).*child \\d+ \"sleep\" in state S: sleep 1000\\n.*"), failure);
    }

    @Test
    void aChangedDispositionIsCaught() {
        String failure = Fixtures.run(IMPATIENT, LeavesSignalIgnored.class).onlyFailure();
        assertTrue(failure.contains("disposition of SIGUSR1 (10): default before, ignored now"), failure);
    }

    @Test
    void anInstanceThatLivesAsLongAsItsClassIsMeasuredFromItsBeginning() {
        String failure =
                Fixtures.run(IMPATIENT, LeavesDescriptorOfInstance.class).onlyFailure();
        assertTrue(failure.contains("-> /dev/null"), failure);
    }

    @Test
    void whatAGarbageCollectionFreesIsNoLeak() {
        assertEquals(List.of(), Fixtures.run(PATIENT, LosesStream.class).failures);
    }

    @Test
    void nestedClassesMayLeaveThingsToTheirOutermost() {
        assertEquals(List.of(), Fixtures.run(IMPATIENT, ClosesForNested.class).failures);
    }

    @Test
    void aLeakOfANestedClassIsCaughtAtItsOutermost() {
        String failure = Fixtures.run(IMPATIENT, HasLeakyNested.class).onlyFailure();
        assertTrue(failure.contains("HasLeakyNested left behind"), failure);
    }

    @Test
    void whatOtherExtensionsCloseLastIsClosedInTime() {
        assertEquals(List.of(), Fixtures.run(IMPATIENT, HasResourceInStore.class).failures);
    }

    @Test
    void whatIsExemptMayStay() {
        assertEquals(List.of(), Fixtures.run(IMPATIENT, MayLeaveDescriptor.class).failures);
    }

    @Test
    void anExemptionOfOneKindCoversNoOther() {
        String failure = Fixtures.run(IMPATIENT, MayLeaveThreadOnly.class).onlyFailure();
        assertTrue(failure.contains("-> /dev/null"), failure);
    }

    @Test
    void anExemptionWithoutAReasonIsRefused() {
        String failure = Fixtures.run(IMPATIENT, ExemptForNoReason.class).onlyFailure();
        assertTrue(failure.contains("must say why"), failure);
    }

    @Test
    void classesThatRunAtTheSameTimeAreNotMeasuredAndItIsSaid() {
        Map<String, String> parallel = Map.of(
                "junit.jupiter.execution.parallel.enabled", "true",
                "junit.jupiter.execution.parallel.mode.default", "same_thread",
                "junit.jupiter.execution.parallel.mode.classes.default", "concurrent",
                "junit.jupiter.execution.parallel.config.strategy", "fixed",
                "junit.jupiter.execution.parallel.config.fixed.parallelism", "4");
        Fixtures run = Fixtures.run(parallel, MeetsOne.class, MeetsOther.class);
        assertEquals(List.of(), run.failures);
        String said = "{leaks=not measured: other test classes ran at the same time}";
        assertEquals(List.of(said, said), run.entries);
    }

    static final class CleansUp {
        @Test
        void opensAndCloses() throws Exception {
            PLANTED.descriptor();
            PLANTED.thread();
            PLANTED.child();
            PLANTED.ignoredSignal();
            PLANTED.removeAll();
        }
    }

    static final class LeavesDescriptor {
        @Test
        void opens() throws IOException {
            PLANTED.descriptor();
        }
    }

    static final class LeavesThread {
        @Test
        void starts() {
            PLANTED.thread();
        }
    }

    static final class LeavesMapping {
        @Test
        void maps() throws IOException {
            PLANTED.mapping();
        }
    }

    static final class LeavesChild {
        @Test
        void starts() {
            PLANTED.child();
        }
    }

    static final class LeavesSignalIgnored {
        @Test
        void ignores() throws ReflectiveOperationException {
            PLANTED.ignoredSignal();
        }
    }

    @TestInstance(Lifecycle.PER_CLASS)
    static final class LeavesDescriptorOfInstance {
        LeavesDescriptorOfInstance() throws IOException {
            PLANTED.descriptor();
        }

        @Test
        void passes() {}
    }

    static final class LosesStream {
        @Test
        void loses() throws IOException {
            FileInputStream lost = new FileInputStream(NULL.toFile());
            // Now it is old: collections of young objects, which come by themselves, do not free it.
            System.gc();
            assertEquals(-1, lost.read());
        }
    }

    static final class ClosesForNested {
        @AfterAll
        static void closes() throws Exception {
            PLANTED.removeAll();
        }

        @Nested
        final class Inner {
            @Test
            void opens() throws IOException {
                PLANTED.descriptor();
            }
        }
    }

    static final class HasLeakyNested {
        @Nested
        final class Inner {
            @Test
            void opens() throws IOException {
                PLANTED.descriptor();
            }
        }
    }

    @ExtendWith(StoresResource.class)
    static final class HasResourceInStore {
        @Test
        void passes() {}
    }

    static final class StoresResource implements BeforeAllCallback {
        @Override
        public void beforeAll(ExtensionContext context) throws IOException {
            PLANTED.descriptor();
            context.getStore(Namespace.GLOBAL).put("planted", (AutoCloseable) PLANTED::removeAll);
        }
    }

    @LeakExempt(kinds = LeakKind.DESCRIPTOR, why = "shows that it may")
    static final class MayLeaveDescriptor {
        @Test
        void opens() throws IOException {
            PLANTED.descriptor();
        }
    }

    @LeakExempt(kinds = LeakKind.THREAD, why = "shows that it is of no use for descriptors")
    static final class MayLeaveThreadOnly {
        @Test
        void opens() throws IOException {
            PLANTED.descriptor();
        }
    }

    @LeakExempt(kinds = LeakKind.THREAD, why = " ")
    static final class ExemptForNoReason {
        @Test
        void passes() {}
    }

    static final class MeetsOne {
        static final CyclicBarrier BOTH = new CyclicBarrier(2);

        @Test
        void leaves() throws Exception {
            BOTH.await(SECONDS_TO_MEET, TimeUnit.SECONDS);
            PLANTED.descriptor();
            BOTH.await(SECONDS_TO_MEET, TimeUnit.SECONDS);
        }
    }

    static final class MeetsOther {
        @Test
        void waits() throws Exception {
            MeetsOne.BOTH.await(SECONDS_TO_MEET, TimeUnit.SECONDS);
            MeetsOne.BOTH.await(SECONDS_TO_MEET, TimeUnit.SECONDS);
        }
    }
}
