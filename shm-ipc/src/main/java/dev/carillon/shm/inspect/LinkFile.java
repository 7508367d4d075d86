package dev.carillon.shm.inspect;

import java.nio.file.Path;

/**
 * The memory of a link, not opened yet.
 *
 * @param path what opens it
 * @param isMemfd whether it has no name in a file system
 */
record LinkFile(Path path, boolean isMemfd) {}
