package dev.carillon.guards.code;

import dev.carillon.guards.tree.Descriptors;
import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.SourceTree;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Holds the exports of module descriptors against the last column of the table of rooms. */
final class Exports {
    private Exports() {}

    static List<Finding> check(SourceTree tree, String module, List<Path> folders) {
        var findings = new ArrayList<Finding>();
        Descriptors.in(folders)
                .ifPresent(descriptor -> descriptor.exports().forEach(export -> {
                    var room = Rooms.of(export.source());
                    if (room.isPresent() && !room.get().seenBy().equals("all")) {
                        var only = Set.of(room.get().seenBy().split("\\s+", -1));
                        if (!export.isQualified() || !only.containsAll(export.targets())) {
                            findings.add(finding(tree, module, export, String.join(", ", only)));
                        }
                    }
                }));
        return findings;
    }

    private static Finding finding(SourceTree tree, String module, ModuleDescriptor.Exports export, String only) {
        var problem = export.source() + " is exported to "
                + (export.isQualified() ? String.join(", ", export.targets()) : "everyone");
        var remedy =
                (only.equals("nobody") ? "delete the line" : "write `exports " + export.source() + " to " + only + ";`")
                        + ": what the rest needs of it, a room above offers";
        return tree.file(module + "/src/main/java/module-info.java")
                .map(file -> Finding.at(file, file.lineOf("exports " + export.source()), problem, remedy))
                .orElseGet(() -> new Finding(module + ": module-info", problem, remedy));
    }
}
