package dev.carillon.shm.inspect;

import java.util.List;

/**
 * The links of a host or a process.
 *
 * @param of whose they are, in words
 * @param links which may have ended by now
 * @param isLeft whether their host lives no more, so that they never change
 */
record FoundLinks(String of, List<LinkFile> links, boolean isLeft) {
    FoundLinks {
        links = List.copyOf(links);
    }
}
