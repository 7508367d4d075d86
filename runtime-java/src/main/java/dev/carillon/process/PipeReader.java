package dev.carillon.process;

import dev.carillon.io.Descriptor;
import dev.carillon.io.Operation;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Reads one output of a child to its end, keeps the first bytes, and throws the others away.
 *
 * <p>States: NEW -> READING -> CUTTING (only what is in the pipe now) -> ENDED; READING -> ENDED.
 *
 * <p><b>Threading:</b> under the lock of its owner, which is told on the loop thread, and without the lock.
 */
final class PipeReader {
    private static final int CHUNK = 8_192;

    /** More than any pipe holds by default (fs.pipe-max-size): others may go on writing for ever. */
    private static final int MOST_OF_PIPE = 1 << 20;

    private final Object lock;
    private final @Nullable Descriptor pipe;
    private final int limit;
    private final Runnable ended;
    private final Operation read = Operation.of(this::completed);
    private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private int left = MOST_OF_PIPE;
    private boolean isCutting;
    private boolean isTruncated;
    private boolean isAtEnd;
    private boolean isEnded;
    private @Nullable Throwable failure;

    /**
     * Does not read yet.
     *
     * @param pipe null if there is nothing to read
     * @param ended is told of the end, or of the failure
     */
    PipeReader(Object lock, @Nullable Descriptor pipe, int limit, Runnable ended) {
        this.lock = lock;
        this.pipe = pipe;
        this.limit = limit;
        this.ended = ended;
        isAtEnd = pipe == null;
        isEnded = isAtEnd;
    }

    void begin() {
        if (pipe != null) {
            pipe.readSome(chunk.clear(), read);
        }
    }

    /** Reads what is in the pipe now, and no more. */
    void cut() {
        isCutting = true;
        if (!isEnded) {
            read.cancel();
        }
    }

    private void completed(Operation done) {
        synchronized (lock) {
            boolean goesOn = false;
            try {
                goesOn = take(done);
            } catch (RuntimeException | Error thrown) {
                failure = thrown; // as where there is no memory for more
            }
            if (goesOn) {
                return;
            }
            isEnded = true;
        }
        ended.run();
    }

    /** Whether another read was begun. */
    private boolean take(Operation done) {
        Throwable thrown = done.failure();
        if (thrown != null && !(isCutting && thrown instanceof CancellationException)) {
            failure = thrown;
            return false;
        }
        if (thrown != null) {
            return isFirstCut() && readOn();
        }
        int count = (int) done.result();
        if (count < 0) {
            isAtEnd = true;
            return false;
        }
        int room = Math.min(count, limit - kept.size());
        kept.write(chunk.array(), 0, room);
        isTruncated |= room < count;
        left -= isCutting ? count : 0;
        return left > 0 && readOn();
    }

    /** The read that was cancelled may have begun before what is in the pipe came. */
    private boolean isFirstCut() {
        boolean isFirst = left == MOST_OF_PIPE;
        left--;
        return isFirst;
    }

    private boolean readOn() {
        begin();
        if (isCutting) {
            read.cancel(); // what is there comes all the same
        }
        return true;
    }

    boolean isEnded() {
        return isEnded;
    }

    /** Whether others had it open when it was read no more. */
    boolean isCut() {
        return !isAtEnd;
    }

    boolean isTruncated() {
        return isTruncated;
    }

    @Nullable
    Throwable failure() {
        return failure;
    }

    byte[] bytes() {
        return kept.toByteArray();
    }
}
