package dev.carillon.shm.audit;

import static dev.carillon.shm.audit.Rule.RING;

import dev.carillon.shm.channel.ChannelId;
import dev.carillon.shm.channel.ControlType;
import dev.carillon.shm.ring.EntryLayout;
import dev.carillon.shm.segment.DirectionLayout;

/** The counters of a direction, and what its unread entries say. */
final class RingCheck {
    private final DirectionLook look;
    private final DirectionLayout at;
    private final String name;
    private final boolean fromHost;
    private final Findings findings;

    RingCheck(DirectionLook look, String name, boolean fromHost, Findings findings) {
        this.look = look;
        this.at = look.at();
        this.name = name;
        this.fromHost = fromHost;
        this.findings = findings;
    }

    void check() {
        counters();
        look.unreadAllTheTime().forEach(this::entry);
    }

    /** Each comparison is with a counter that was read on the side where movement cannot make it fail. */
    private void counters() {
        String place = name + ": counters";
        String values = ": head=" + look.head() + " tail=" + look.tail() + " capacity=" + at.ringEntries();
        boolean inOrder = findings.require(
                look.firstHead() - look.firstTail() >= 0 && look.head() - look.tail() >= 0,
                RING,
                place,
                "more is consumed than was published" + values);
        findings.require(
                !inOrder || look.firstHead() - look.tail() <= at.ringEntries(),
                RING,
                place,
                "more is unread than the ring has entries" + values);
        findings.require(
                look.head() - look.firstHead() >= 0 && look.tail() - look.firstTail() >= 0,
                RING,
                place,
                "a counter went backwards" + values);
        findings.require(
                look.firstTail() - look.start() >= 0,
                RING,
                place,
                "a counter is before the start, which line 0 of the credits has: start=" + look.start() + values);
    }

    private void entry(EntrySeen entry) {
        String place = place(name, entry);
        String fault = entry.fault();
        if (fault != null) {
            findings.violation(RING, place, fault);
        } else if (entry.type() >= ControlType.FIRST_CODE) {
            control(entry, place);
        } else {
            data(entry, place);
        }
    }

    static String place(String name, EntrySeen entry) {
        return name + ": entry " + Long.toUnsignedString(entry.position());
    }

    private void data(EntrySeen entry, String place) {
        int index = ChannelId.index(entry.channel());
        findings.require(
                entry.channel() == ChannelId.NONE || (index > 0 && index < at.channels()),
                RING,
                place,
                "its channel has the index " + index + ", and there are " + at.channels() + " with that of control");
        if (entry.slot() == EntryLayout.INLINE) {
            return;
        }
        if (findings.require(
                entry.slot() < at.slots(),
                RING,
                place,
                "its slot is " + entry.slot() + ", and there are " + at.slots())) {
            findings.require(
                    entry.length() <= at.slotBytes(entry.slot()),
                    RING,
                    place,
                    "it has " + entry.length() + " bytes, and slot " + entry.slot() + " has "
                            + at.slotBytes(entry.slot()));
        }
    }

    private void control(EntrySeen entry, String place) {
        boolean isKnown = entry.type() <= ControlType.RESET.code();
        boolean isBare =
                entry.slot() == EntryLayout.INLINE && entry.flags() == 0 && entry.channel() == 0 && entry.length() == 0;
        findings.require(isKnown, RING, place, "there is no control frame of type " + entry.type());
        findings.require(isBare, RING, place, "a control frame has no flags, channel, slot and payload");
        int id = (int) entry.id();
        int index = ChannelId.index(id);
        boolean isChannel = entry.id() == Integer.toUnsignedLong(id) && index > 0 && index < at.channels();
        findings.require(
                isChannel, RING, place, "it is about no channel that can be: " + Long.toUnsignedString(entry.id()));
        boolean isHosts = (index & 1) == 0;
        boolean mayBe = entry.type() == ControlType.OPEN.code()
                ? isHosts == fromHost
                : entry.type() != ControlType.ACCEPT.code() || isHosts != fromHost;
        findings.require(
                !isChannel || mayBe,
                RING,
                place,
                "this side neither opens nor accepts channel " + ChannelId.describe(id) + " so");
    }
}
