package dev.carillon.shm;

import dev.carillon.shm.segment.DirectionShape;
import dev.carillon.shm.segment.SegmentLayout;
import dev.carillon.shm.segment.SegmentShape;
import dev.carillon.shm.segment.SlotClass;
import java.util.ArrayList;
import java.util.List;

/**
 * What a link is made of, the same in both directions.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class LinkConfig {
    private final SegmentShape shape;

    private LinkConfig(SegmentShape shape) {
        this.shape = shape;
    }

    /**
     * A ring of 256 entries with 96 bytes in each; 64 slots of 1 KiB, 16 of 16 KiB, 4 of 256 KiB; 256 channels with a window
     * of 256 KiB.
     */
    public static LinkConfig defaults() {
        return builder().build();
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    SegmentLayout layout() {
        return SegmentLayout.of(shape);
    }

    /** The memory that a link takes, part by part, one on a line. */
    public String describe() {
        return layout().describe();
    }

    /** Collects what differs from the defaults. */
    public static final class Builder {
        private int ring = DirectionShape.defaults().ringEntries();
        private int inlineBytes = DirectionShape.defaults().inlineBytes();
        private final List<SlotClass> slots = new ArrayList<>();
        private boolean hasOwnSlots;
        private int channels = SegmentShape.defaults().channels();
        private long window = DirectionShape.defaults().window();

        private Builder() {}

        /** How many frames a direction holds: a power of two, 4 to 1,048,576; a sixteenth of it is kept for control. */
        public Builder ring(int entries) {
            ring = entries;
            return this;
        }

        /** The longest frame that needs no slot: 32 + 64k bytes. */
        public Builder inlineBytes(int bytes) {
            inlineBytes = bytes;
            return this;
        }

        /** Some slots for longer frames, smaller ones first; the first call replaces the defaults. */
        public Builder slots(int bytes, int count) {
            hasOwnSlots = true;
            slots.add(new SlotClass(bytes, count));
            return this;
        }

        /** No slots: a frame is at most as long as an entry. */
        public Builder withoutSlots() {
            hasOwnSlots = true;
            slots.clear();
            return this;
        }

        /**
         * How many lines of credit a direction has, 1 to 65,535: one is for what is on no channel, and each side can open
         * half of the others.
         */
        public Builder channels(int count) {
            channels = count;
            return this;
        }

        /** How many bytes a channel may have under way, 1 to 2^40; the {@link ShmChannel#cost} of a frame counts. */
        public Builder window(long bytes) {
            window = bytes;
            return this;
        }

        /**
         * The configuration.
         *
         * @throws IllegalArgumentException if there is no such link; it says what to take instead
         */
        public LinkConfig build() {
            DirectionShape defaults = DirectionShape.defaults();
            DirectionShape direction =
                    new DirectionShape(ring, inlineBytes, window, hasOwnSlots ? slots : defaults.slotClasses());
            LinkConfig config = new LinkConfig(new SegmentShape(channels, direction, direction));
            config.layout();
            return config;
        }
    }
}
