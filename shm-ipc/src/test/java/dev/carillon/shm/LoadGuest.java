package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.bytes;

/** A guest that sends as fast as it can, in all ways: see {@link LoadHost}. */
final class LoadGuest {
    private static final int LONGEST = 2_000;

    private final ShmLink link;
    private boolean stop;
    private long sent;

    private LoadGuest(ShmLink link) {
        this.link = link;
    }

    public static void main(String[] args) throws InterruptedException {
        try (ShmLink link = ShmGuest.attachFromEnvironment()) {
            LoadGuest guest = new LoadGuest(link);
            if (args[0].equals("channels")) {
                guest.sendOnChannels();
            } else {
                guest.sendPlainly();
            }
        }
    }

    private void sendPlainly() throws InterruptedException {
        while (!stop && !link.peerState().isOver()) {
            switch ((int) (sent % 3)) {
                case 0 -> batch();
                case 1 -> claim();
                default -> sent += link.send(frame(sent), LONG) == SendResult.SENT ? 1 : 0;
            }
            look();
        }
        link.send(Frame.of(LoadHost.STOPPED, sent, bytes(0, 0)), LONG);
        awaitEnd();
    }

    private void batch() throws InterruptedException {
        if (link.awaitSpace(LONG)) {
            sent += link.sendBatch(5, (index, frame) -> {
                int length = lengthOf(sent + index);
                return frame.begin(1, 0, sent + index, length);
            });
            if (sent % 3 == 0) {
                // No slot was free for the first of the batch.
                claim();
            }
        }
    }

    private void claim() throws InterruptedException {
        try (SlotWriter claim = link.awaitClaim(lengthOf(sent), LONG)) {
            if (claim != null) {
                claim.commit(1, 0, sent);
                sent++;
            }
        }
    }

    private static int lengthOf(long id) {
        return (int) (id * 37 % LONGEST);
    }

    private static Frame frame(long id) {
        return Frame.of(1, id, bytes(lengthOf(id), 1));
    }

    private void look() {
        link.poll(
                frame -> {
                    if (frame.type() == LoadHost.STOP) {
                        stop = true;
                    }
                },
                16);
    }

    /** Opens a channel, uses it, and closes or resets it, again and again. */
    private void sendOnChannels() throws InterruptedException {
        while (!stop && !link.peerState().isOver()) {
            ShmChannel channel = link.openChannel();
            long last = sent + 40;
            while (sent < last && channel.send(frame(sent), LONG) == SendResult.SENT) {
                sent++;
                look();
            }
            if (last % 80 == 0) {
                channel.reset();
            } else {
                channel.close();
            }
            while (channel.state() == ChannelState.HALF_CLOSED
                    && !link.peerState().isOver()) {
                link.awaitData(LoadHost.SHORT);
                look();
            }
        }
        link.send(Frame.of(LoadHost.STOPPED, sent, bytes(0, 0)), LONG);
        awaitEnd();
    }

    private void awaitEnd() throws InterruptedException {
        while (link.awaitData(LONG)) {
            look();
        }
    }
}
