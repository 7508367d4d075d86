package dev.carillon.shm.audit;

import static dev.carillon.shm.audit.Rule.CREDIT;

import dev.carillon.shm.channel.ChannelId;
import dev.carillon.shm.channel.FrameCost;
import dev.carillon.shm.segment.DirectionLayout;
import dev.carillon.shm.segment.SlotClass;
import java.util.HashMap;
import java.util.Map;

/**
 * The lines of credit of a direction. What was sent on a channel stands nowhere in the memory, but two bounds of it do: what is unread
 * was sent, and what was consumed went through the ring.
 */
final class CreditCheck {
    /** Beyond this many entries the bound of what they can have carried says nothing. */
    private static final long MANY = 1L << 31;

    private final DirectionLook look;
    private final DirectionLayout at;
    private final String name;
    private final Findings findings;

    CreditCheck(DirectionLook look, String name, Findings findings) {
        this.look = look;
        this.at = look.at();
        this.name = name;
        this.findings = findings;
    }

    void check() {
        for (int index = 0; index < at.channels(); index++) {
            line(index, look.credits().get(index));
        }
        unread();
    }

    private String place(int index) {
        return name + ": credit of index " + index;
    }

    private void line(int index, CreditLine line) {
        String place = place(index);
        ofThisIndex(index, line.taken(), "taken", place);
        ofThisIndex(index, line.reset(), "reset", place);
        findings.require(
                line.taken() == 0 || line.reset() == 0 || line.taken() == line.reset() || !line.stoodStill(),
                CREDIT,
                place,
                "data is taken on " + ChannelId.describe(line.taken()) + ", and " + ChannelId.describe(line.reset())
                        + " was reset");
        long sinceStart = line.granted() - look.start();
        boolean grows = findings.require(
                sinceStart >= 0, CREDIT, place, "granted is before the start: granted=" + line.granted());
        findings.require(
                !grows || line.taken() == 0 || sinceStart >= at.window(),
                CREDIT,
                place,
                "data is taken, and less than a window was ever granted: " + sinceStart + " of " + at.window());
        findings.require(
                sinceStart <= mostEver(),
                CREDIT,
                place,
                "more is granted than a window and all that can have come: granted=" + sinceStart + " window="
                        + at.window() + " entries=" + look.published());
    }

    private void ofThisIndex(int index, int id, String field, String place) {
        findings.require(
                id == 0 || (ChannelId.index(id) == index && index != 0),
                CREDIT,
                place,
                field + " is " + ChannelId.describe(id) + ", a channel of another index");
    }

    /** All frames were as long as can be, and on this channel. */
    private long mostEver() {
        long entries = look.published();
        int longest = at.inlineBytes();
        for (SlotClass each : at.classes()) {
            longest = Math.max(longest, each.bytes());
        }
        return entries < 0 || entries > MANY ? Long.MAX_VALUE : at.window() + entries * FrameCost.of(longest);
    }

    private void unread() {
        Map<Integer, Long> costs = new HashMap<>();
        for (EntrySeen entry : look.unreadAllTheTime()) {
            if (entry.fault() == null && entry.channel() != 0) {
                costs.merge(entry.channel(), FrameCost.of(entry.length()), Long::sum);
            }
        }
        costs.forEach((channel, cost) -> {
            int index = ChannelId.index(channel);
            if (index > 0 && index < at.channels()) {
                ofChannel(channel, cost, look.credits().get(index), place(index));
            }
        });
    }

    private void ofChannel(int channel, long cost, CreditLine line, String place) {
        findings.require(
                line.taken() == channel,
                CREDIT,
                place,
                "data of " + ChannelId.describe(channel) + " is unread, and taken is "
                        + ChannelId.describe(line.taken()));
        findings.require(
                cost <= at.window(),
                CREDIT,
                place,
                "what is unread of " + ChannelId.describe(channel) + " costs " + cost + ", and the window is "
                        + at.window());
    }
}
