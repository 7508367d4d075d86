package dev.carillon.samples;

import dev.carillon.samples.words.Word;
import dev.carillon.shm.Frame;
import dev.carillon.shm.ShmLink;
import java.nio.file.Path;
import java.time.Duration;

/** Answers what its host asks through shared memory, until the host says goodbye. */
public final class ShmGuest {
    private static final Duration A_WHILE = Duration.ofSeconds(10);
    private static final int AT_ONCE = 64;

    public static void main(String[] arguments) throws Exception {
        if (!Word.fit("shm-guest [DIRECTORY]", arguments, Word.FOLDER)) {
            System.exit(2);
        }
        // region guest
        try (ShmLink link = arguments.length > 0
                ? dev.carillon.shm.ShmGuest.connect(Path.of(arguments[0])) // comes by the host's socket
                : dev.carillon.shm.ShmGuest.attachFromEnvironment()) { // was spawned by the host
            while (link.awaitData(A_WHILE) || !link.peerState().isOver()) {
                link.poll(question -> answer(link, question), AT_ONCE);
            }
        }
        // endregion
    }

    private static void answer(ShmLink link, Frame question) {
        link.trySend(Frame.of(ShmHost.ANSWER, question.id(), question.payload()));
    }
}
