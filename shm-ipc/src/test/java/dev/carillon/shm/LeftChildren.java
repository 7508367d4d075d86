package dev.carillon.shm;

import java.util.List;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Ends what a failed test of this module has started and not ended: a guest that waits to be killed would wait for ever.
 *
 * <p>It comes before the methods that close loops, so that the ends of children are taken. A test that passes ends its children
 * itself; the kit looks after that.
 */
public final class LeftChildren implements AfterTestExecutionCallback {
    @Override
    public void afterTestExecution(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            System.out.println(context.getDisplayName() + " has failed; ended what it has left: " + end());
        }
    }

    /** Kills all that this process has started, and what those have. */
    static List<Long> end() {
        List<ProcessHandle> left = ProcessHandle.current().descendants().toList();
        left.forEach(ProcessHandle::destroyForcibly);
        return left.stream().map(ProcessHandle::pid).toList();
    }
}
