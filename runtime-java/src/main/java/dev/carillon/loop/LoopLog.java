package dev.carillon.loop;

import dev.carillon.loop.log.Log;

/**
 * The log of the loops of this process.
 *
 * <p>No method throws: an error that cannot be logged must not become the error of the loop. {@link ReportLimit} keeps a
 * program that fails all the time from filling its log.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl loop.report]
final class LoopLog {
    private static final ReportLimit LIMIT = new ReportLimit();
    private static final Log LOG = Log.of("dev.carillon.loop.EventLoop");

    private LoopLog() {}

    /** Finds the logging library now: later, when a message comes, it may be too late to load classes. */
    static void prepare() {
        new ReportLimit().admit(new Throwable("what is in the limit is loaded"), 0);
        LOG.prepare();
    }

    /** Logs an error of a callback; of very many of one kind it counts the rest. */
    static void report(String message, Object about, Throwable error) {
        report(message, about, error, error);
    }

    /** Logs an error of an error handler, and the error that the handler got. */
    static void report(String message, Object about, Throwable error, Throwable handled) {
        try {
            if (error != handled) {
                error.addSuppressed(handled);
            }
            int leftOut = LIMIT.admit(error, System.nanoTime());
            if (leftOut != ReportLimit.REFUSED) {
                LOG.error(message.replace("{}", about.toString()) + ReportLimit.told(leftOut), error);
            }
        } catch (Throwable cannotBeTold) {
            Log.toStandardError("An error of an event loop could not be logged", error);
        }
    }

    /** Logs how many errors were left out since the last that was logged. */
    static void reportWhatWasLeftOut() {
        try {
            int leftOut = LIMIT.forget();
            if (leftOut > 0) {
                warn(leftOut + " errors of loops were not logged one by one, since there were too many like them");
            }
        } catch (Throwable cannotBeTold) {
            Log.toStandardError("The number of errors of event loops could not be logged", cannotBeTold);
        }
    }

    static void warn(String message) {
        LOG.warn("{}", message);
    }

    static void debug(String message, Throwable cause) {
        LOG.debug(message, cause);
    }
}
