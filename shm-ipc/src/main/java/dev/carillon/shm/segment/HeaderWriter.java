package dev.carillon.shm.segment;

import static dev.carillon.shm.segment.HeaderFields.CHANNELS;
import static dev.carillon.shm.segment.HeaderFields.CHECKSUM;
import static dev.carillon.shm.segment.HeaderFields.CLASS_STRIDE;
import static dev.carillon.shm.segment.HeaderFields.CLASS_TABLE;
import static dev.carillon.shm.segment.HeaderFields.CONTROL_AT;
import static dev.carillon.shm.segment.HeaderFields.CREDITS_AT;
import static dev.carillon.shm.segment.HeaderFields.ENDIANNESS;
import static dev.carillon.shm.segment.HeaderFields.ENDIANNESS_MARK;
import static dev.carillon.shm.segment.HeaderFields.ENTRIES_AT;
import static dev.carillon.shm.segment.HeaderFields.ENTRY_BYTES;
import static dev.carillon.shm.segment.HeaderFields.HEADER_SIZE;
import static dev.carillon.shm.segment.HeaderFields.HEARTBEAT;
import static dev.carillon.shm.segment.HeaderFields.HOST_PID;
import static dev.carillon.shm.segment.HeaderFields.HOST_START_TIME;
import static dev.carillon.shm.segment.HeaderFields.LINK_ID_HIGH;
import static dev.carillon.shm.segment.HeaderFields.LINK_ID_LOW;
import static dev.carillon.shm.segment.HeaderFields.MAGIC;
import static dev.carillon.shm.segment.HeaderFields.OUR_MAGIC;
import static dev.carillon.shm.segment.HeaderFields.OUR_WORD_SIZE;
import static dev.carillon.shm.segment.HeaderFields.PEER_ID;
import static dev.carillon.shm.segment.HeaderFields.RING_ENTRIES;
import static dev.carillon.shm.segment.HeaderFields.SLOTS;
import static dev.carillon.shm.segment.HeaderFields.SLOT_AREA_AT;
import static dev.carillon.shm.segment.HeaderFields.SLOT_CLASSES;
import static dev.carillon.shm.segment.HeaderFields.SLOT_WORDS_AT;
import static dev.carillon.shm.segment.HeaderFields.TOTAL;
import static dev.carillon.shm.segment.HeaderFields.TO_GUEST;
import static dev.carillon.shm.segment.HeaderFields.TO_HOST;
import static dev.carillon.shm.segment.HeaderFields.VERSION;
import static dev.carillon.shm.segment.HeaderFields.WINDOW;
import static dev.carillon.shm.segment.HeaderFields.WORD_SIZE;
import static dev.carillon.shm.segment.HeaderFields.checksum;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Turns a header into its bytes. */
final class HeaderWriter {
    private HeaderWriter() {}

    /** The part that never changes, with its magic. */
    static byte[] bytes(SegmentHeader header) {
        byte[] bytes = new byte[SegmentLayout.HEADER_BYTES];
        ByteBuffer to = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        SegmentLayout layout = header.layout();
        SegmentIdentity identity = header.identity();
        to.putLong(MAGIC, OUR_MAGIC);
        to.putInt(VERSION, SegmentLayout.VERSION);
        to.putInt(HEADER_SIZE, SegmentLayout.HEADER_BYTES);
        to.putInt(ENDIANNESS, ENDIANNESS_MARK);
        to.putInt(WORD_SIZE, OUR_WORD_SIZE);
        to.putLong(TOTAL, layout.total());
        to.putLong(LINK_ID_HIGH, identity.linkIdHigh());
        to.putLong(LINK_ID_LOW, identity.linkIdLow());
        to.putInt(HOST_PID, identity.hostPid());
        to.putInt(PEER_ID, identity.peerId());
        to.putLong(HOST_START_TIME, identity.hostStartTime());
        to.putInt(CHANNELS, layout.shape().channels());
        to.putInt(HEARTBEAT, header.heartbeatMillis());
        put(to, TO_GUEST, layout.toGuest());
        put(to, TO_HOST, layout.toHost());
        to.putInt(CHECKSUM, checksum(bytes));
        return bytes;
    }

    private static void put(ByteBuffer to, int start, DirectionLayout direction) {
        to.putInt(start + RING_ENTRIES, direction.ringEntries());
        to.putInt(start + ENTRY_BYTES, direction.entryBytes());
        to.putLong(start + WINDOW, direction.window());
        List<SlotClass> classes = direction.classes();
        to.putInt(start + SLOT_CLASSES, classes.size());
        to.putInt(start + SLOTS, direction.slots());
        to.putLong(start + CONTROL_AT, direction.control());
        to.putLong(start + CREDITS_AT, direction.credits());
        to.putLong(start + ENTRIES_AT, direction.entries());
        to.putLong(start + SLOT_WORDS_AT, direction.slotWords());
        to.putLong(start + SLOT_AREA_AT, direction.slotArea());
        for (int i = 0; i < classes.size(); i++) {
            int at = start + CLASS_TABLE + i * CLASS_STRIDE;
            to.putInt(at, classes.get(i).bytes());
            to.putInt(at + Integer.BYTES, classes.get(i).count());
        }
    }
}
