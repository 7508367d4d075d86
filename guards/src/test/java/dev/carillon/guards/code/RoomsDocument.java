package dev.carillon.guards.code;

import dev.carillon.guards.code.Rooms.Room;
import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.Modules;
import dev.carillon.guards.tree.SourceFile;
import dev.carillon.guards.tree.SourceTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Holds the table of rooms that people read against the one that {@link Architecture} enforces. */
final class RoomsDocument {
    static final String PATH = "docs/architecture.md";
    private static final Pattern ROW = Pattern.compile("^\\| `(dev\\.carillon[\\w.]*)`[^|]*\\|[^|]*\\|([^|]*)\\|.*");

    private RoomsDocument() {}

    static List<Finding> check(SourceTree tree) {
        return tree.file(PATH).map(RoomsDocument::rows).orElse(List.of());
    }

    private static List<Finding> rows(SourceFile file) {
        var findings = new ArrayList<Finding>();
        var seen = new HashSet<String>();
        var lines = file.lines();
        for (int i = 0; i < lines.size(); i++) {
            var row = ROW.matcher(lines.get(i));
            if (row.matches()) {
                seen.add(row.group(1));
                int line = i + 1;
                Rooms.room(row.group(1))
                        .ifPresentOrElse(
                                room -> row(file, line, room, row.group(2), findings),
                                () -> findings.add(Finding.at(
                                        file,
                                        line,
                                        "no room is called " + row.group(1),
                                        "add it to guards' Rooms.java, or take it out of the document")));
            }
        }
        if (!seen.isEmpty()) {
            Rooms.all().stream()
                    .filter(room -> Modules.PUBLISHED.contains(room.module()) && !seen.contains(room.name()))
                    .forEach(room ->
                            findings.add(Finding.at(file, 1, "the table has no row for " + room.name(), "add one")));
        }
        return findings;
    }

    /** A cell without the name of any room is prose, such as "all that is exported". */
    private static void row(SourceFile file, int line, Room room, String cell, List<Finding> findings) {
        Set<String> said = Arrays.stream(cell.split("[,\\s]+", -1))
                .flatMap(Rooms::named)
                .filter(name -> Rooms.room(name).isPresent() && !name.equals(room.name()))
                .collect(Collectors.toSet());
        boolean isTable = !said.isEmpty() || cell.strip().equals("none");
        if (isTable && !said.equals(room.calls())) {
            findings.add(Finding.at(
                    file,
                    line,
                    room.name() + " may call " + said.stream().sorted().toList() + " here, and "
                            + room.calls().stream().sorted().toList() + " in guards' Rooms.java",
                    "decide which is right, and change the other"));
        }
    }
}
