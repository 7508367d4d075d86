package dev.carillon.shm;

import dev.carillon.io.Operation;
import dev.carillon.io.PassedDescriptor;
import dev.carillon.io.ReceivedDescriptors;
import dev.carillon.io.StreamSocket;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.TimerHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a guest says first, and in time.
 *
 * <p><b>Threading:</b> the loop thread.
 */
// r[impl shm.attach.socket] r[impl shm.attach.crowd]
final class GuestHello {
    /** A guest says hello when it has connected, so this is for the time that the machine takes. */
    static final Duration TIME = Duration.ofSeconds(2);

    /** For one more turn of the loop. */
    private static final Duration A_TURN = Duration.ofMillis(1);

    private final StreamSocket socket;
    private final Consumer<Heard> listener;
    private final EventLoop loop;
    private final long began;

    /** One byte more than a hello, so that a longer one is seen. */
    private final ByteBuffer received =
            ByteBuffer.allocate(AttachMessage.HELLO_BYTES + 1).order(ByteOrder.nativeOrder());

    private @Nullable TimerHandle timer;
    private boolean isThere;

    /** What has come so far. */
    enum Heard {
        /** The rest is on its way; the time goes on. */
        PART,
        /** A hello, perhaps of another version. */
        HELLO,
        /** Something else, the end, or nothing in the whole time. */
        NO_HELLO
    }

    GuestHello(StreamSocket socket, Consumer<Heard> listener) {
        this.socket = socket;
        this.listener = listener;
        loop = socket.eventLoop();
        began = loop.nanoTime();
    }

    /** Begins to read, and the time. */
    void await() {
        timer = loop.schedule(TIME, this::lookOnceMore);
        readOn();
    }

    /** Room for a descriptor, only so that this thread does not have to close one in the call. */
    void readOn() {
        socket.receiveDescriptors(received, 1, Operation.of(this::onBytes));
    }

    private void onBytes(Operation done) {
        if (bytesOf(done) < 1 || !AttachMessage.mayBeHello(received)) {
            listener.accept(Heard.NO_HELLO);
        } else {
            isThere = received.position() == AttachMessage.HELLO_BYTES;
            listener.accept(isThere ? Heard.HELLO : Heard.PART);
        }
    }

    /** How many bytes came, -1 if descriptors did, which no guest sends. */
    private static int bytesOf(Operation done) {
        if (!(done.value() instanceof ReceivedDescriptors with)) {
            return 0;
        }
        with.descriptors().forEach(PassedDescriptor::close);
        return with.descriptors().isEmpty() ? with.bytes() : -1;
    }

    /** A loop that stood still finds that the time is over before it has read what came in it. */
    private void lookOnceMore() {
        timer = loop.schedule(A_TURN, () -> loop.execute(this::isOver));
    }

    private void isOver() {
        if (!isThere) {
            listener.accept(Heard.NO_HELLO);
        }
    }

    /** Whether it is awaited for that time and was not read. */
    boolean isSilentFor(Duration time) {
        return !isThere && loop.nanoTime() - began >= time.toNanos();
    }

    /** Whether what was said is of our version. */
    boolean isOurs() {
        return AttachMessage.isOurHello(received);
    }

    /** Nobody waits for it any more. */
    void stop() {
        if (timer != null) {
            timer.cancel();
        }
    }

    /** Calls back when the guest hangs up, or says something else. */
    void awaitEnd(Runnable action) {
        received.clear();
        socket.receiveDescriptors(received, 1, Operation.of(done -> {
            bytesOf(done);
            action.run();
        }));
    }
}
