package dev.carillon.shm.inspect;

import java.util.List;

/**
 * All that is shown at a time.
 *
 * @param of whose links they are
 * @param links those that could be read
 * @param failed what is to say of the others
 */
record Screen(String of, List<SeenLink> links, List<Failed> failed) {
    Screen {
        links = List.copyOf(links);
        failed = List.copyOf(failed);
    }

    /**
     * A link that could not be read.
     *
     * @param file where it is, or was
     * @param why in words
     * @param forbidden whether another user could
     */
    record Failed(LinkFile file, String why, boolean forbidden) {}

    /** 0, or 1 if the auditor has found a violation; if no link could be read for want of permission, that. */
    int exitCode() {
        if (links.isEmpty() && failed.stream().anyMatch(Failed::forbidden)) {
            return NotShownException.NOT_PERMITTED;
        }
        return links.stream().allMatch(link -> link.report().isClean()) ? 0 : 1;
    }
}
