package dev.carillon.loop;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLogger;
import org.slf4j.helpers.SubstituteLogger;

/**
 * What the loops of this process have to say. It goes to SLF4J, or to standard error where no provider was given to SLF4J.
 *
 * <p>No method throws: an error that cannot be logged must not become the error of the loop. A program that fails all the
 * time is not to fill its log, see {@link ReportLimit}.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl loop.report]
final class LoopLog {
    /** A program that wants silence has a provider that is silent: it is named by the property, or in the file. */
    private static final String PROVIDER = "slf4j.provider";

    private static final String PROVIDERS = "META-INF/services/org.slf4j.spi.SLF4JServiceProvider";

    private static final ReportLimit LIMIT = new ReportLimit();
    private static final @Nullable Logger LOG = logger();

    private LoopLog() {}

    /** Finds the logging library now: when there is something to log, it may be too late to load classes. */
    static void prepare() {
        new ReportLimit().admit(new Throwable("what is in the limit is loaded"), 0);
        if (LOG != null) {
            isMute(LOG);
        }
    }

    private static @Nullable Logger logger() {
        try {
            return LoggerFactory.getLogger(EventLoop.class);
        } catch (Throwable broken) {
            toStandardError("A logging library was found and does not work; errors of loops go here", broken);
            return null;
        }
    }

    /** An error of a callback; one of very many like it is counted instead. */
    static void report(String message, Object about, Throwable error) {
        report(message, about, error, error);
    }

    /** An error of an error handler, and the one that it was to handle. */
    static void report(String message, Object about, Throwable error, Throwable handled) {
        try {
            if (error != handled) {
                error.addSuppressed(handled);
            }
            int leftOut = LIMIT.admit(error, System.nanoTime());
            if (leftOut != ReportLimit.REFUSED) {
                error(about(message, about) + ReportLimit.told(leftOut), error);
            }
        } catch (Throwable cannotBeTold) {
            // The last resort: it must not allocate, and there is nobody left to tell if it fails.
            toStandardError("An error of an event loop could not be logged", error);
        }
    }

    /** Tells of what was left out and was not told since. */
    static void reportWhatWasLeftOut() {
        try {
            int leftOut = LIMIT.forget();
            if (leftOut > 0) {
                warn(leftOut + " errors of loops were not logged one by one, since there were too many like them");
            }
        } catch (Throwable cannotBeTold) {
            toStandardError("The number of errors of event loops could not be logged", cannotBeTold);
        }
    }

    static void warn(String message) {
        Logger log = LOG;
        try {
            if (log == null || isMute(log)) {
                toStandardError(message, null);
            } else {
                log.warn(message);
            }
        } catch (Throwable fromLogger) {
            toStandardError(message, fromLogger);
        }
    }

    static void debug(String message, Throwable cause) {
        try {
            if (LOG != null) {
                LOG.debug(message, cause);
            }
        } catch (Throwable fromLogger) {
            toStandardError(message, fromLogger);
        }
    }

    static void error(String message, Throwable cause) {
        Logger log = LOG;
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

    private static String about(String message, Object about) {
        return message.replace("{}", about.toString());
    }

    /** Whether SLF4J throws everything away because it found nobody to give it to. */
    // r[impl loop.no-provider]
    private static boolean isMute(Logger log) {
        return (log instanceof NOPLogger || (log instanceof SubstituteLogger late && late.isDelegateNOP()))
                && System.getProperty(PROVIDER) == null
                && ClassLoader.getSystemResource(PROVIDERS) == null
                && Logger.class.getResource("/" + PROVIDERS) == null;
    }

    private static void toStandardError(String message, @Nullable Throwable cause) {
        try {
            System.err.println(message);
            if (cause != null) {
                cause.printStackTrace(System.err);
            }
        } catch (Throwable nobodyIsLeftToTell) {
            Thread.onSpinWait();
        }
    }
}
