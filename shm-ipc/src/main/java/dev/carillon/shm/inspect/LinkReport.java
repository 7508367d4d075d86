package dev.carillon.shm.inspect;

import dev.carillon.shm.audit.DirectionLook;
import dev.carillon.shm.audit.EventSeen;
import dev.carillon.shm.channel.ChannelId;
import dev.carillon.shm.segment.SegmentLayout;
import java.util.Locale;

/** Links for people. */
final class LinkReport {
    private final StringBuilder out = new StringBuilder();

    private LinkReport() {}

    static String of(Screen screen) {
        LinkReport report = new LinkReport();
        int count = screen.links().size();
        report.line("%s: %s", screen.of(), count == 0 ? "no link" : count == 1 ? "1 link" : count + " links");
        screen.links().forEach(report::link);
        screen.failed().forEach(failed -> report.line("%n%s: %s", failed.file().path(), failed.why()));
        return report.out.toString();
    }

    private void line(String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private void link(SeenLink link) {
        var header = link.look().header();
        line(
                "%nlink %d  %s, incarnation %d, %,d s old, %s, %,d bytes",
                link.identity().peerId(),
                link.state(),
                link.incarnation(),
                link.ageSeconds(),
                link.file().isMemfd() ? "memfd" : "file",
                header.layout().total());
        line(
                "  id       %s, layout %d, %d channels, %s",
                link.identity().linkId(),
                SegmentLayout.VERSION,
                header.layout().shape().channels(),
                header.heartbeatMillis() == 0 ? "no heartbeat" : "heartbeat " + header.heartbeatMillis() + " ms");
        line("  host     pid %d, %s", link.identity().hostPid(), link.host().word());
        if (link.guestPid() == 0) {
            line("  guest    none");
        } else {
            line("  guest    pid %d, %s", link.guestPid(), link.guest().word());
        }
        direction("to guest", link.look().toGuest(), link.toGuest());
        direction("to host", link.look().toHost(), link.toHost());
        link.report().violations().forEach(finding -> line("  VIOLATION of invariant %s", finding));
        link.report().remains().forEach(finding -> line("  note     %s: %s", finding.place(), finding.what()));
        int violations = link.report().violations().size();
        line(
                "  audit    %s",
                violations == 0 ? "no violation" : violations == 1 ? "1 violation" : violations + " violations");
    }

    private void direction(String name, DirectionLook look, double rate) {
        line(
                "  %-8s %,d of %,d entries unread, %,d since the start%s",
                name,
                look.unread(),
                look.at().ringEntries(),
                look.published(),
                rate < 0 ? "" : String.format(Locale.ROOT, ", %,.0f per second", rate));
        for (SlotFigures each : SlotFigures.of(look)) {
            line(
                    "           %,d slots of %,d bytes: %,d free, %,d claimed, %,d in flight, %,d held",
                    each.count(), each.bytes(), each.free(), each.claimed(), each.inFlight(), each.held());
        }
        line(
                "           waits: data %s; space %s; slots %s",
                told(look.data()), told(look.space()), told(look.slotEvent()));
        for (ChannelFigures each : ChannelFigures.of(look)) {
            line(
                    "           channel %s: %,d granted, %,d unread, window %,d%s; waits: credit %s",
                    ChannelId.describe(each.id()),
                    each.granted(),
                    each.unread(),
                    look.at().window(),
                    each.isReset() ? ", reset" : "",
                    told(each.event()));
        }
    }

    private static String told(EventSeen event) {
        String told = String.format(Locale.ROOT, "told %,d times", Integer.toUnsignedLong(event.count()));
        return event.hasSleeper() ? told + ", waiter by " + event.sleeper() : told;
    }
}
