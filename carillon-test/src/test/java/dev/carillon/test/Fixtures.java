package dev.carillon.test;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs classes that fail on purpose, in a launch of their own, and keeps what JUnit says about them. */
final class Fixtures implements TestExecutionListener {
    final List<Throwable> failures = new ArrayList<>();
    final List<String> entries = new ArrayList<>();

    private Fixtures() {}

    static Fixtures run(Map<String, String> parameters, Class<?>... classes) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(Stream.of(classes).map(type -> selectClass(type)).toList())
                .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "true")
                .configurationParameters(parameters)
                .build();
        Fixtures result = new Fixtures();
        LauncherFactory.create().execute(request, result);
        return result;
    }

    /** The one failure there must be, as text. */
    String onlyFailure() {
        if (failures.size() != 1) {
            throw new AssertionError("Expected one failure, not " + failures);
        }
        return failures.get(0).toString();
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        Optional<Throwable> failure = result.getThrowable();
        failure.ifPresent(failures::add);
    }

    @Override
    public synchronized void reportingEntryPublished(TestIdentifier test, ReportEntry entry) {
        entries.add(entry.getKeyValuePairs().toString());
    }
}
