package dev.carillon.process;

import dev.carillon.ExitStatus;
import java.nio.charset.StandardCharsets;

/**
 * How a child ended, and what it wrote; see {@link OutputCollection}.
 *
 * <p><b>Threading:</b> immutable, but for the arrays.
 *
 * <p><b>Ownership:</b> the arrays are the receiver's, and the same ones each time.
 */
public final class Output {
    private final ExitStatus exit;
    private final byte[] stdout;
    private final byte[] stderr;
    private final boolean isTruncated;
    private final boolean isCut;

    Output(ExitStatus exit, PipeReader stdout, PipeReader stderr) {
        this.exit = exit;
        this.stdout = stdout.bytes();
        this.stderr = stderr.bytes();
        isTruncated = stdout.isTruncated() || stderr.isTruncated();
        isCut = stdout.isCut() || stderr.isCut();
    }

    /** How it ended. */
    public ExitStatus exit() {
        return exit;
    }

    /** The first bytes of its standard output, up to the limit; none if that was sent elsewhere. */
    public byte[] stdout() {
        return stdout;
    }

    /** The first bytes of its error output, up to the limit; none if that was sent elsewhere. */
    public byte[] stderr() {
        return stderr;
    }

    /** The standard output as text in UTF-8; what is none is U+FFFD. */
    public String stdoutText() {
        return new String(stdout, StandardCharsets.UTF_8);
    }

    /** The error output as text in UTF-8; what is none is U+FFFD. */
    public String stderrText() {
        return new String(stderr, StandardCharsets.UTF_8);
    }

    /** Whether more was written than the limit allows; what was beyond it was read and thrown away. */
    public boolean isTruncated() {
        return isTruncated;
    }

    /**
     * Whether other processes still had its output open when the time for that was over. What the child itself wrote is there;
     * what the others write now is not.
     */
    public boolean isCut() {
        return isCut;
    }

    @Override
    public String toString() {
        return "Output[" + exit + ", stdout " + stdout.length + " bytes, stderr " + stderr.length + " bytes"
                + (isTruncated ? ", truncated" : "") + (isCut ? ", cut]" : "]");
    }
}
