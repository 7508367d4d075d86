package dev.carillon.shm.audit;

import static dev.carillon.shm.audit.Rule.REGIONS;

import dev.carillon.shm.segment.FaultySegmentException;
import dev.carillon.shm.segment.LinkWord;
import dev.carillon.shm.segment.SegmentLayout;
import dev.carillon.shm.segment.SideLine;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** What stands between the header and the first region: the link word, and the lines of the sides. */
final class WordCheck {
    private static final String PLACE = "link word";

    private WordCheck() {}

    static void check(LinkLook look, Findings findings) {
        try {
            LinkWord.checkStep(LinkWord.check(look.firstWord()), look.word());
        } catch (FaultySegmentException faulty) {
            findings.violation(REGIONS, PLACE, String.valueOf(faulty.getMessage()));
        }
        side(look, SegmentLayout.HOST_LINE, "line of the host", findings);
        side(look, SegmentLayout.GUEST_LINE, "line of the guest", findings);
        zeros(look, SegmentLayout.LINK_WORD + Long.BYTES, SegmentLayout.HOST_LINE, PLACE, findings);
        int behind = SegmentLayout.GUEST_LINE + SegmentLayout.GUEST_LINE - SegmentLayout.HOST_LINE;
        zeros(look, behind, SegmentLayout.FIRST_REGION, "line before the regions", findings);
    }

    private static void side(LinkLook look, int line, String place, Findings findings) {
        ByteBuffer first = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        first.putLong(0, look.front(line));
        int state = first.getInt(SideLine.STATE);
        findings.require(
                state >= SideLine.ABSENT && state <= SideLine.GONE && first.getInt(Integer.BYTES) == 0,
                REGIONS,
                place,
                "its state is " + Integer.toUnsignedString(state) + ", and 0 to " + SideLine.GONE + " are known");
        int beats = line + SideLine.BEATS;
        zeros(look, beats + Long.BYTES, line + SegmentLayout.GUEST_LINE - SegmentLayout.HOST_LINE, place, findings);
    }

    private static void zeros(LinkLook look, int from, int to, String place, Findings findings) {
        for (int offset = from; offset < to; offset += Long.BYTES) {
            findings.require(
                    look.front(offset) == 0,
                    REGIONS,
                    place,
                    "the bytes at " + offset + " are 0 in this version, and something else stands there");
        }
    }
}
