package dev.carillon.shm.inspect;

import dev.carillon.shm.audit.DirectionLook;
import dev.carillon.shm.audit.EventSeen;
import dev.carillon.shm.audit.Finding;
import dev.carillon.shm.channel.ChannelId;
import dev.carillon.shm.segment.SegmentLayout;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Links for programs: an object on one line; docs/shm.md has its fields. */
final class LinkJson {
    private LinkJson() {}

    static String of(Screen screen) {
        StringBuilder out = new StringBuilder();
        write(
                out,
                object(
                        "of", screen.of(),
                        "links", screen.links().stream().map(LinkJson::link).toList(),
                        "failed",
                                screen.failed().stream()
                                        .map(failed ->
                                                object("source", failed.file().path(), "why", failed.why()))
                                        .toList()));
        return out.append('\n').toString();
    }

    private static Map<String, @Nullable Object> link(SeenLink link) {
        var header = link.look().header();
        return object(
                "peer", link.identity().peerId(),
                "source", link.file().path(),
                "memfd", link.file().isMemfd(),
                "state", link.state(),
                "incarnation", link.incarnation(),
                "ageSeconds", link.ageSeconds(),
                "linkId", link.identity().linkId(),
                "layout", SegmentLayout.VERSION,
                "bytes", header.layout().total(),
                "channels", header.layout().shape().channels(),
                "heartbeatMillis", header.heartbeatMillis(),
                "host",
                        object(
                                "pid",
                                link.identity().hostPid(),
                                "state",
                                link.host().word()),
                "guest",
                        link.guestPid() == 0
                                ? null
                                : object(
                                        "pid",
                                        link.guestPid(),
                                        "state",
                                        link.guest().word()),
                "toGuest", direction(link.look().toGuest(), link.toGuest()),
                "toHost", direction(link.look().toHost(), link.toHost()),
                "violations", findings(link.report().violations()),
                "remains", findings(link.report().remains()));
    }

    private static Map<String, @Nullable Object> direction(DirectionLook look, double rate) {
        return object(
                "entries", look.at().ringEntries(),
                "unread", look.unread(),
                "published", look.published(),
                "perSecond", rate < 0 ? null : Math.round(rate),
                "slots",
                        SlotFigures.of(look).stream()
                                .map(each -> object(
                                        "bytes", each.bytes(),
                                        "count", each.count(),
                                        "free", each.free(),
                                        "claimed", each.claimed(),
                                        "inFlight", each.inFlight(),
                                        "held", each.held()))
                                .toList(),
                "waits",
                        object(
                                "data", event(look.data()),
                                "space", event(look.space()),
                                "slots", event(look.slotEvent())),
                "channels",
                        ChannelFigures.of(look).stream()
                                .map(each -> object(
                                        "id", ChannelId.describe(each.id()),
                                        "reset", each.isReset(),
                                        "granted", each.granted(),
                                        "unread", each.unread(),
                                        "window", look.at().window(),
                                        "credit", event(each.event())))
                                .toList());
    }

    private static Map<String, @Nullable Object> event(EventSeen event) {
        return object("told", Integer.toUnsignedLong(event.count()), "waiter", event.sleeper());
    }

    private static List<Map<String, @Nullable Object>> findings(List<Finding> findings) {
        return findings.stream()
                .map(each -> object("invariant", each.rule().number(), "place", each.place(), "what", each.what()))
                .toList();
    }

    private static Map<String, @Nullable Object> object(@Nullable Object... namesAndValues) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
        }
        return object;
    }

    private static void write(StringBuilder out, @Nullable Object value) {
        if (value instanceof Map<?, ?> object) {
            out.append('{');
            Iterator<? extends Map.Entry<?, ?>> entries = object.entrySet().iterator();
            while (entries.hasNext()) {
                Map.Entry<?, ?> entry = entries.next();
                write(out, entry.getKey());
                out.append(':');
                write(out, entry.getValue());
                out.append(entries.hasNext() ? "," : "");
            }
            out.append('}');
        } else if (value instanceof List<?> list) {
            out.append('[');
            for (int i = 0; i < list.size(); i++) {
                out.append(i > 0 ? "," : "");
                write(out, list.get(i));
            }
            out.append(']');
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            quote(out, value.toString());
        }
    }

    private static void quote(StringBuilder out, String text) {
        out.append('"');
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                out.append('\\').append((char) c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", c));
            } else {
                out.append((char) c);
            }
        });
        out.append('"');
    }
}
