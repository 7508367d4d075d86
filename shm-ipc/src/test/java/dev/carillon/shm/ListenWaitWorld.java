package dev.carillon.shm;

import dev.carillon.shm.ListenWaitPeer.Plan;
import dev.carillon.shm.ListenWaitPeer.Setup;
import dev.carillon.shm.ListenWaitWatch.Task;
import dev.carillon.test.Interleavings;
import java.util.Arrays;

/**
 * One side of a link: a stage that receives on a loop, a thread that sleeps for room, and the watch of the peer; and the peer, which
 * attaches, sends, gives room, and may be killed anywhere. All steps are modelled: those of {@link LinkWaits}, {@link
 * LinkListening}, {@link PeerWatch} and {@link LinkWait}. {@code ShippedWaitStepsTest} compares.
 */
final class ListenWaitWorld implements Interleavings.World {
    private enum Stage {
        IDLE,
        OVER,
        RECEIVE,
        END,
        PLACE,
        LOOK,
        ANNOUNCE,
        LOOK_AGAIN,
        LEAVE,
        SLICE
    }

    private enum Loop {
        IDLE,
        READ,
        TELL,
        ENTER,
        STAGE,
        AFTER,
        SLICE,
        END_LINK
    }

    private static final int PEER = 0;
    private static final int STARTER = 1;
    private static final int LOOP = 2;
    private static final int BELL = 3;
    private static final int TIMER = 4;
    private static final int EXIT = 5;
    private static final int FAILURE = 6;
    private static final int THREAD = 7;
    private static final int KILLER = 8;

    private final Plan plan;
    private final Setup setup;
    private final ListenWaitPeer peer;
    private final ListenWaitWatch watch;
    private Stage stage = Stage.OVER;
    private Loop loop = Loop.IDLE;
    private final ListenWaitThread thread;

    // Of this side.
    private int received;
    private boolean done;
    private boolean sawOver;
    private boolean byLoop;
    private boolean inPlace;
    private boolean timer;
    private boolean hungUp;
    private boolean looksAgain;

    ListenWaitWorld(Plan plan, Setup setup) {
        this.plan = plan;
        this.setup = setup;
        peer = new ListenWaitPeer(plan, setup);
        watch = new ListenWaitWatch(plan, peer);
        thread = new ListenWaitThread(plan, setup, peer, watch);
        if (setup.thread()) {
            // The stage waits already: with all its steps besides those of the thread there are too many orders.
            stage = Stage.IDLE;
            inPlace = setup.stage();
            peer.listens = setup.stage();
            done = !setup.stage();
        }
        watch.later(Task.CONFIRM);
    }

    @Override
    public int actors() {
        return KILLER + 1;
    }

    @Override
    public boolean canStep(int actor) {
        boolean idle = loop == Loop.IDLE && !watch.over;
        return switch (actor) {
            case PEER -> peer.canStep();
            case STARTER -> stage != Stage.IDLE && !byLoop;
            case LOOP -> loop == Loop.ENTER ? stage == Stage.IDLE : loop != Loop.IDLE || !watch.tasks.isEmpty();
            case BELL -> idle && watch.bellWatched && (peer.rung || peer.isHungUp());
            case TIMER -> loop == Loop.IDLE && timer && watch.tasks.isEmpty();
            case EXIT -> idle && watch.processWatched && peer.dead;
            case FAILURE -> idle && setup.fails() && watch.canFail();
            case THREAD -> thread.canStep();
            default -> peer.canBeKilled();
        };
    }

    @Override
    public void step(int actor) {
        switch (actor) {
            case PEER -> peer.step();
            case STARTER -> stage = stage();
            case LOOP -> loop = loop();
            case BELL -> loop = Loop.READ;
            case TIMER -> loop = look();
            case EXIT -> loop = Loop.END_LINK;
            case FAILURE -> watch.fail();
            case THREAD -> thread.step();
            default -> peer.dead = true;
        }
    }

    /** The stage receives until the link is over; whoever runs it has its lock. */
    private Stage stage() {
        boolean late = plan == Plan.PLACE_AFTER_THE_LOOKS;
        return switch (stage) {
            case OVER -> {
                sawOver = watch.over;
                yield Stage.RECEIVE;
            }
            case RECEIVE -> {
                boolean any = peer.published > received;
                received += any ? 1 : 0;
                yield any ? Stage.OVER : Stage.END;
            }
            case END -> {
                done = plan == Plan.DATA_BEFORE_THE_END ? watch.over : sawOver;
                yield done ? Stage.IDLE : late ? Stage.LOOK : Stage.PLACE;
            }
            case PLACE -> {
                inPlace = true;
                yield late ? Stage.SLICE : Stage.LOOK;
            }
            case LOOK -> isThere() ? Stage.LEAVE : Stage.ANNOUNCE;
            case ANNOUNCE -> {
                peer.listens = true;
                yield plan == Plan.NO_SECOND_LOOK ? Stage.SLICE : Stage.LOOK_AGAIN;
            }
            case LOOK_AGAIN -> isThere() ? Stage.LEAVE : late ? Stage.PLACE : Stage.SLICE;
            case LEAVE -> {
                boolean mine = inPlace || late;
                inPlace = false;
                yield mine ? Stage.OVER : Stage.SLICE;
            }
            case SLICE -> {
                if (!watch.watched) {
                    watch.later(Task.SLICE);
                }
                yield Stage.IDLE;
            }
            default -> throw new IllegalStateException(state());
        };
    }

    private boolean isThere() {
        return peer.published > received || watch.over;
    }

    private Loop loop() {
        return switch (loop) {
            case IDLE -> run(watch.tasks.remove());
            case READ -> {
                boolean any = peer.rung;
                peer.rung = false;
                hungUp = peer.isHungUp();
                if (any) {
                    watch.confirm();
                }
                yield any ? Loop.TELL : Loop.AFTER;
            }
            case TELL -> {
                boolean told = inPlace;
                inPlace = false;
                yield told ? Loop.ENTER : Loop.AFTER;
            }
            case ENTER -> {
                if (done) {
                    yield Loop.AFTER;
                }
                byLoop = true;
                stage = Stage.OVER;
                yield Loop.STAGE;
            }
            case STAGE -> {
                stage = stage();
                byLoop = stage != Stage.IDLE;
                yield byLoop ? Loop.STAGE : Loop.AFTER;
            }
            case AFTER -> hungUp ? Loop.END_LINK : looksAgain ? Loop.SLICE : Loop.IDLE;
            case SLICE -> {
                looksAgain = false;
                if (inPlace) {
                    watch.later(Task.SLICE);
                }
                yield Loop.IDLE;
            }
            case END_LINK -> {
                hungUp = false;
                watch.endLink();
                yield looksAgain ? Loop.SLICE : Loop.IDLE;
            }
        };
    }

    private Loop run(Task task) {
        switch (task) {
            case CONFIRM -> watch.confirm();
            case SLICE -> timer = true;
            case TELL -> {
                return Loop.TELL;
            }
        }
        return Loop.IDLE;
    }

    /** The timer of a loop whose stage waits while nothing watches the peer. */
    private Loop look() {
        timer = false;
        if (!watch.watched) {
            watch.later(Task.CONFIRM);
            watch.readOnAnyThread();
            hungUp |= peer.isHungUp();
        }
        looksAgain = !watch.watched;
        return Loop.TELL;
    }

    @Override
    public void verifyEnd() {
        boolean allReceived = received == peer.published || !setup.stage();
        if (!allReceived || (peer.dead && !done) || !thread.hasEnded()) {
            throw new AssertionError("lost: somebody sleeps, or has missed a frame: " + state());
        }
    }

    @Override
    public String state() {
        return peer.state(thread.key())
                + watch.state()
                + thread.state()
                + stage
                + " "
                + loop
                + received
                + Arrays.toString(new boolean[] {done, sawOver, byLoop, inPlace, timer, hungUp, looksAgain});
    }
}
