package dev.carillon.loop;

import dev.carillon.loop.log.Log;

/**
 * What the loops of this process have to say.
 *
 * <p>No method throws: an error that cannot be logged must not become the error of the loop. A program that fails all the
 * time is not to fill its log, see {@link ReportLimit}.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl loop.report]
final class LoopLog {
    private static final ReportLimit LIMIT = new ReportLimit();
    private static final Log LOG = Log.of("dev.carillon.loop.EventLoop");

    private LoopLog() {}

    /** Finds the logging library now: when there is something to log, it may be too late to load classes. */
    static void prepare() {
        new ReportLimit().admit(new Throwable("what is in the limit is loaded"), 0);
        LOG.prepare();
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
                LOG.error(message.replace("{}", about.toString()) + ReportLimit.told(leftOut), error);
            }
        } catch (Throwable cannotBeTold) {
            Log.toStandardError("An error of an event loop could not be logged", error);
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
