package dev.carillon.shm.segment;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** Where the fields of the header are: docs/spec/shm-layout.md and carillon_shm.h say the same. */
final class HeaderFields {
    static final int MAGIC = 0;
    static final int VERSION = 8;
    static final int HEADER_SIZE = 12;
    static final int ENDIANNESS = 16;
    static final int WORD_SIZE = 20;
    static final int TOTAL = 24;
    static final int LINK_ID_HIGH = 32;
    static final int LINK_ID_LOW = 40;
    static final int HOST_PID = 48;
    static final int PEER_ID = 52;
    static final int HOST_START_TIME = 56;
    static final int CHANNELS = 64;
    static final int HEARTBEAT = 68;
    static final int CHECKSUM = 72;
    static final int TO_GUEST = 128;
    static final int TO_HOST = 320;

    /** The fields of a direction, from its start. */
    static final int RING_ENTRIES = 0;

    static final int ENTRY_BYTES = 4;
    static final int WINDOW = 8;
    static final int SLOT_CLASSES = 16;
    static final int SLOTS = 20;
    static final int CONTROL_AT = 24;
    static final int CREDITS_AT = 32;
    static final int ENTRIES_AT = 40;
    static final int SLOT_WORDS_AT = 48;
    static final int SLOT_AREA_AT = 56;
    static final int CLASS_TABLE = 64;

    /** Of each class in the table: u32 bytes of a slot, u32 count. */
    static final int CLASS_STRIDE = 8;

    static final int ENDIANNESS_MARK = 0x01020304;
    static final int OUR_WORD_SIZE = 8;

    /** The bytes C A R I L L O N as this machine loads them. */
    static final long OUR_MAGIC = ByteBuffer.wrap("CARILLON".getBytes(StandardCharsets.US_ASCII))
            .order(ByteOrder.nativeOrder())
            .getLong();

    private HeaderFields() {}

    /** The CRC32C of all but the magic, where the field for it counts as 0. */
    static int checksum(byte[] header) {
        CRC32C crc = new CRC32C();
        crc.update(header, VERSION, CHECKSUM - VERSION);
        crc.update(new byte[Integer.BYTES]);
        int behind = CHECKSUM + Integer.BYTES;
        crc.update(header, behind, SegmentLayout.HEADER_BYTES - behind);
        return (int) crc.getValue();
    }
}
