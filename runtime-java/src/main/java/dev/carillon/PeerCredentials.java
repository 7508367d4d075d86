package dev.carillon;

/**
 * Who was at the other end of a Unix socket when it was connected; the kernel vouches for it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * <p><b>See:</b> SO_PEERCRED in unix(7).
 *
 * @param pid its process, which may have ended since; 0 if it is outside the PID namespace of this process
 * @param uid its effective user, to be read as unsigned; 65534 if this user namespace has no number for it
 * @param gid its effective group, likewise
 */
public record PeerCredentials(int pid, int uid, int gid) {}
