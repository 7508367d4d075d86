package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.AF_INET6;
import static dev.carillon.sys.layout.Constants.AF_UNIX;

/**
 * What a socket is for, and the family of its addresses: that decides which options it has.
 *
 * @param family AF_INET, AF_INET6 or AF_UNIX
 */
record SocketKind(Use use, int family) {
    /** What a socket is for. */
    enum Use {
        LISTENER("listener"),
        STREAM("stream"),
        DATAGRAMS("socket for datagrams");

        private final String text;

        Use(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    @Override
    public String toString() {
        return (family == AF_UNIX ? "a Unix " : family == AF_INET6 ? "an IPv6 " : "an IPv4 ") + use;
    }
}
