package dev.carillon.shm;

import dev.carillon.PeerCredentials;
import dev.carillon.sys.call.Sys;

/** Which users trust each other across a host's socket. */
final class SocketUsers {
    private static final int ROOT = 0;

    private SocketUsers() {}

    /** A guest of the same user, or one who could do anything to us anyway. */
    static boolean mayBeOurGuest(PeerCredentials guest) {
        return guest.uid() == ROOT || guest.uid() == ours();
    }

    /** The same for a host; besides, root may attach to any host: what a host writes is checked. */
    static boolean mayBeOurHost(PeerCredentials host) {
        return host.uid() == ROOT || ours() == ROOT || host.uid() == ours();
    }

    static int ours() {
        return Sys.get().processes().uid();
    }
}
