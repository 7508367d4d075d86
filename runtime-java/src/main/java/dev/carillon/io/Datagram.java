package dev.carillon.io;

import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@link DatagramSocket#receiveAsync}.
 *
 * @param length how long it was
 * @param sender who sent it; null for a Unix socket without a name
 * @param isTruncated whether it was longer than the buffer, and its end is lost
 */
public record Datagram(int length, @Nullable SocketAddress sender, boolean isTruncated) {}
