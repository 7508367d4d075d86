package dev.carillon.loop.log;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.helpers.FormattingTuple;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPLogger;
import org.slf4j.helpers.SubstituteLogger;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The messages of one class. They go to SLF4J, or to standard error where SLF4J has no provider.
 *
 * <p>No method throws: an error that cannot be logged must not become the error of a loop.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl loop.no-provider]
public final class Log {
    /** A program that wants silence has a silent provider, which this property or the file below names. */
    private static final String PROVIDER = "slf4j.provider";

    private static final String PROVIDERS = "META-INF/services/org.slf4j.spi.SLF4JServiceProvider";

    /** A class that the providers of SLF4J 1.7 have. */
    private static final String BINDER = "org/slf4j/impl/StaticLoggerBinder.class";

    private static final boolean KNOWS_FIELDS = isThere("org/slf4j/spi/LoggingEventBuilder.class");

    /** Who says what a thread logs that must not wait for that. */
    private static final ThreadLocal<@Nullable Executor> ELSEWHERE = new ThreadLocal<>();

    private final @Nullable Logger logger;

    /** How much a message matters. */
    public enum Severity {
        /** As expected. */
        INFO(Level.INFO),
        /** Somebody should look at it. */
        WARN(Level.WARN),
        /** Something was not done. */
        ERROR(Level.ERROR);

        private final Level level;

        Severity(Level level) {
            this.level = level;
        }
    }

    private Log(@Nullable Logger logger) {
        this.logger = logger;
    }

    /** The log of a class. */
    public static Log of(Class<?> speaker) {
        return of(speaker.getName());
    }

    /**
     * The log of a class, by its name. Without a provider this does not ask SLF4J, which would print three lines about that.
     */
    public static Log of(String speaker) {
        try {
            return new Log(hasProvider() ? LoggerFactory.getLogger(speaker) : null);
        } catch (NoClassDefFoundError isMissing) {
            toStandardError("slf4j-api is missing, so messages go here; add it to the class path", isMissing);
            return new Log(null);
        } catch (Throwable broken) {
            toStandardError("a logging library was found and does not work, so messages go here", broken);
            return new Log(null);
        }
    }

    private static boolean hasProvider() {
        return System.getProperty(PROVIDER) != null || isThere(PROVIDERS) || isThere(BINDER) || isModuleThere();
    }

    /** Whether a module provides one; on the module path no class loader finds the file. */
    private static boolean isModuleThere() {
        ModuleLayer layer = LoggerFactory.class.getModule().getLayer();
        return layer != null
                && layer.modules().stream()
                        .flatMap(module -> module.getDescriptor().provides().stream())
                        .anyMatch(provided -> PROVIDERS.endsWith("/" + provided.service()));
    }

    private static boolean isThere(String resource) {
        return ClassLoader.getSystemResource(resource) != null || Logger.class.getResource("/" + resource) != null;
    }

    /** Whether SLF4J discards everything because it found no provider. */
    private static boolean isMute(Logger log) {
        return (log instanceof NOPLogger || (log instanceof SubstituteLogger late && late.isDelegateNOP()))
                && !hasProvider();
    }

    /**
     * From now on another thread says what this one logs, by whatever log: this one must not wait for a logging library, nor for
     * standard error.
     *
     * @param speaker takes a message at once, and throws nothing; it may say it by itself
     */
    public static void sayElsewhere(Executor speaker) {
        ELSEWHERE.set(speaker);
    }

    private static void say(Runnable message) {
        Executor speaker = ELSEWHERE.get();
        if (speaker == null) {
            message.run();
        } else {
            speaker.execute(message);
        }
    }

    /** Loads the classes that the first message needs. */
    public void prepare() {
        try {
            if (logger != null) {
                isMute(logger);
            }
            MessageFormatter.arrayFormat("{}", new Object[] {""}).getMessage();
            // As standard error does it. What the JDK cannot load at its first message, it cannot load later either.
            PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), true);
            new IllegalStateException("rehearsal", new Throwable("its cause")).printStackTrace(nowhere);
        } catch (Throwable broken) {
            toStandardError("a logging library was found and does not work", broken);
        }
    }

    /** A message for the operator of the program; each {} stands for an argument. */
    public void warn(String format, Object... arguments) {
        say(() -> warnHere(format, arguments));
    }

    private void warnHere(String format, Object... arguments) {
        Logger log = logger;
        try {
            if (log == null || isMute(log)) {
                FormattingTuple text = MessageFormatter.arrayFormat(format, arguments);
                toStandardError(text.getMessage(), text.getThrowable());
            } else {
                log.warn(format, arguments);
            }
        } catch (Throwable fromLogger) {
            toStandardError(format, fromLogger);
        }
    }

    /**
     * A message with fields for programs that read logs: key-value pairs of SLF4J, or text behind the message where SLF4J is
     * older than 2.0 or has no provider. Without a provider, what is INFO is not printed.
     *
     * @param cause null if there is none
     * @param fields names and values in turns
     */
    public void record(Severity severity, String message, @Nullable Throwable cause, String... fields) {
        say(() -> recordHere(severity, message, cause, fields));
    }

    private void recordHere(Severity severity, String message, @Nullable Throwable cause, String... fields) {
        Logger log = logger;
        try {
            if (log == null || isMute(log)) {
                if (severity != Severity.INFO) {
                    toStandardError(severity + " " + withFields(message, fields), cause);
                }
            } else if (KNOWS_FIELDS) {
                LoggingEventBuilder event = log.atLevel(severity.level).setMessage(message);
                for (int i = 0; i + 1 < fields.length; i += 2) {
                    event = event.addKeyValue(fields[i], fields[i + 1]);
                }
                (cause == null ? event : event.setCause(cause)).log();
            } else {
                asText(log, severity, withFields(message, fields), cause);
            }
        } catch (Throwable fromLogger) {
            toStandardError(message, fromLogger);
        }
    }

    private static void asText(Logger log, Severity severity, String text, @Nullable Throwable cause) {
        switch (severity) {
            case INFO -> log.info(text, cause);
            case WARN -> log.warn(text, cause);
            case ERROR -> log.error(text, cause);
        }
    }

    private static String withFields(String message, String[] fields) {
        StringBuilder text = new StringBuilder(message);
        for (int i = 0; i + 1 < fields.length; i += 2) {
            text.append(i == 0 ? ": " : " ").append(fields[i]).append('=').append(fields[i + 1]);
        }
        return text.toString();
    }

    /** A message for a search for a defect. */
    public void debug(String message, Throwable cause) {
        say(() -> debugHere(message, cause));
    }

    private void debugHere(String message, Throwable cause) {
        try {
            if (logger != null) {
                logger.debug(message, cause);
            }
        } catch (Throwable fromLogger) {
            toStandardError(message, fromLogger);
        }
    }

    /** An error. */
    public void error(String message, Throwable cause) {
        say(() -> errorHere(message, cause));
    }

    private void errorHere(String message, Throwable cause) {
        Logger log = logger;
        try {
            if (log == null || isMute(log)) {
                toStandardError(message, cause);
            } else {
                log.error(message, cause);
            }
        } catch (Throwable fromLogger) {
            toStandardError(message, cause);
        }
    }

    /** The last resort. It must not allocate much, and a failure of it cannot be reported anywhere. */
    public static void toStandardError(@Nullable String message, @Nullable Throwable cause) {
        try {
            System.err.print("carillon: ");
            System.err.println(message);
            if (cause != null) {
                cause.printStackTrace(System.err);
            }
        } catch (Throwable nobodyIsLeftToTell) {
            Thread.onSpinWait();
        }
    }
}
