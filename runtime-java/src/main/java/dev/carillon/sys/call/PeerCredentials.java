package dev.carillon.sys.call;

/** Who was at the other end of a Unix socket when it was connected; the kernel vouches for it. */
public record PeerCredentials(int pid, int uid, int gid) {}
