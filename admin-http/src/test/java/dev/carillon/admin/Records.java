package dev.carillon.admin;

import static java.util.stream.Collectors.toMap;

import dev.carillon.lifecycle.Lifecycle;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.AbstractLogger;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.LoggingEventAware;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** A provider of SLF4J that keeps the last records of endpoints. */
public final class Records implements SLF4JServiceProvider {
    private static final int KEPT = 1000;
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final Deque<LoggingEvent> LAST = new ConcurrentLinkedDeque<>();
    private static final Deque<LoggingEvent> OF_LIFECYCLES = new ConcurrentLinkedDeque<>();

    /** Whether it writes them to standard error, too: for child processes. */
    static volatile boolean isPrinting;

    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final MDCAdapter context = new NOPMDCAdapter();

    /** Called by SLF4J. */
    public Records() {}

    static void clear() {
        LAST.clear();
        OF_LIFECYCLES.clear();
        COUNT.set(0);
    }

    /** How many came since the last clear, with those that are not kept. */
    static int count() {
        return COUNT.get();
    }

    static List<LoggingEvent> all() {
        return List.copyOf(LAST);
    }

    /** Those of lifecycles, which are no answers of an endpoint. */
    static List<LoggingEvent> ofLifecycles() {
        return List.copyOf(OF_LIFECYCLES);
    }

    /** The fields of the only one. */
    static Map<String, String> only() {
        List<LoggingEvent> all = all();
        if (all.size() != 1) {
            throw new AssertionError("one record was expected, and these came: " + texts());
        }
        return fields(all.get(0));
    }

    static List<String> texts() {
        return LAST.stream().map(Records::text).toList();
    }

    private static String text(LoggingEvent event) {
        return event.getLevel() + " " + event.getMessage() + " " + fields(event);
    }

    static Map<String, String> fields(LoggingEvent event) {
        List<KeyValuePair> pairs = event.getKeyValuePairs();
        return pairs == null
                ? Map.of()
                : pairs.stream()
                        .collect(toMap(
                                pair -> pair.key, pair -> String.valueOf(pair.value), (a, b) -> a + b, TreeMap::new));
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return RecordingLogger::new;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return context;
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }

    @Override
    public void initialize() {}

    private static final class RecordingLogger extends AbstractLogger implements Logger, LoggingEventAware {
        private static final long serialVersionUID = 1;

        RecordingLogger(String name) {
            this.name = name;
        }

        @Override
        public void log(LoggingEvent event) {
            if (isPrinting) {
                System.err.println(text(event));
            }
            if (name.equals(SignalEndpoint.class.getName())) {
                keep(event, LAST);
                COUNT.incrementAndGet();
            } else if (name.equals(Lifecycle.class.getName())) {
                keep(event, OF_LIFECYCLES);
            }
        }

        private static void keep(LoggingEvent event, Deque<LoggingEvent> kept) {
            kept.add(event);
            if (kept.size() > KEPT) {
                kept.poll();
            }
        }

        @Override
        protected @Nullable String getFullyQualifiedCallerName() {
            return null;
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level,
                @Nullable Marker marker,
                String format,
                @Nullable Object @Nullable [] arguments,
                @Nullable Throwable cause) {
            if (isPrinting) {
                System.err.println(level + " " + format);
            }
        }

        @Override
        public boolean isTraceEnabled() {
            return false;
        }

        @Override
        public boolean isTraceEnabled(Marker marker) {
            return false;
        }

        @Override
        public boolean isDebugEnabled() {
            return false;
        }

        @Override
        public boolean isDebugEnabled(Marker marker) {
            return false;
        }

        @Override
        public boolean isInfoEnabled() {
            return true;
        }

        @Override
        public boolean isInfoEnabled(Marker marker) {
            return true;
        }

        @Override
        public boolean isWarnEnabled() {
            return true;
        }

        @Override
        public boolean isWarnEnabled(Marker marker) {
            return true;
        }

        @Override
        public boolean isErrorEnabled() {
            return true;
        }

        @Override
        public boolean isErrorEnabled(Marker marker) {
            return true;
        }
    }
}
