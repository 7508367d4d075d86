package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.IPPROTO_IPV6;

import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.OptionLayout.Linger;
import dev.carillon.sys.layout.OptionLayout.Mreqn;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The forms of options that are no int. */
final class OptionStructures {
    private static final int LONGEST_LINGER = 65_535;

    /** IFNAMSIZ and TCP_CA_NAME_MAX, with the zero at the end. */
    private static final int NAME_SIZE = 16;

    private OptionStructures() {}

    private static NativeBytes memory() {
        return NativeBytes.allocate(Sys.get().libc(), NAME_SIZE);
    }

    /** Seconds; below zero it is off. */
    static final class Lingering extends OptionForm<Integer> {
        @Override
        String problemOf(Integer value) {
            return value <= LONGEST_LINGER ? "" : "0 to " + LONGEST_LINGER + " seconds, or below 0 for off";
        }

        @Override
        void set(int number, Place place, Integer value) {
            try (NativeBytes memory = memory()) {
                memory.bytes().putInt(Linger.L_ONOFF, value < 0 ? 0 : 1).putInt(Linger.L_LINGER, Math.max(0, value));
                calls().setOption(number, place.level(), place.name(), memory.address(), Linger.SIZE);
            }
        }

        @Override
        Integer get(int number, Place place) {
            try (NativeBytes memory = memory()) {
                calls().option(number, place.level(), place.name(), memory.address(), Linger.SIZE);
                boolean isOn = memory.bytes().getInt(Linger.L_ONOFF) != 0;
                return isOn ? memory.bytes().getInt(Linger.L_LINGER) : -1;
            }
        }
    }

    /** A name of the kernel. */
    static final class Name extends OptionForm<String> {
        private final int least;

        Name(int least) {
            this.least = least;
        }

        @Override
        String problemOf(String value) {
            int length = value.getBytes(StandardCharsets.UTF_8).length;
            boolean fits = length >= least && length < NAME_SIZE && value.indexOf('\0') < 0;
            return fits ? "" : "a name of " + least + " to " + (NAME_SIZE - 1) + " bytes, none of them 0";
        }

        @Override
        void set(int number, Place place, String value) {
            try (NativeBytes text = NativeBytes.text(Sys.get().libc(), "value", value)) {
                calls().setOption(
                                number,
                                place.level(),
                                place.name(),
                                text.address(),
                                text.bytes().capacity());
            }
        }

        @Override
        String get(int number, Place place) {
            try (NativeBytes memory = memory()) {
                int room = calls().option(number, place.level(), place.name(), memory.address(), NAME_SIZE);
                int length = 0;
                while (length < room && memory.bytes().get(length) != 0) {
                    length++;
                }
                byte[] name = new byte[length];
                memory.bytes().get(0, name);
                return new String(name, StandardCharsets.UTF_8);
            }
        }
    }

    /** An interface: IPv6 knows it by its index. IPv4 also takes the index, but tells an address of it only. */
    static final class Interface extends OptionForm<NetworkInterface> {
        @Override
        void set(int number, Place place, NetworkInterface value) {
            if (place.level() == IPPROTO_IPV6) {
                calls().setOption(number, place.level(), place.name(), value.getIndex());
                return;
            }
            try (NativeBytes memory = memory()) {
                memory.bytes().put(Mreqn.IMR_ADDRESS, addressOf(value).getAddress());
                memory.bytes().putInt(Mreqn.IMR_IFINDEX, value.getIndex());
                calls().setOption(number, place.level(), place.name(), memory.address(), Mreqn.SIZE);
            }
        }

        private static InetAddress addressOf(NetworkInterface value) {
            return value.inetAddresses()
                    .filter(Inet4Address.class::isInstance)
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            "value=" + value + ": an interface without an IPv4 address; give it one, or use IPv6"));
        }

        @Override
        NetworkInterface get(int number, Place place) {
            try {
                NetworkInterface one = place.level() == IPPROTO_IPV6
                        ? NetworkInterface.getByIndex(calls().option(number, place.level(), place.name()))
                        : byAddress(number, place);
                if (one == null) {
                    throw new IllegalStateException("no interface was set for multicast, or it is gone, so the kernel"
                            + " chooses one by its routes; set it before it is asked for");
                }
                return one;
            } catch (SocketException | UnknownHostException failure) {
                throw new IllegalStateException("the interfaces of this machine cannot be listed", failure);
            }
        }

        private static @Nullable NetworkInterface byAddress(int number, Place place)
                throws SocketException, UnknownHostException {
            byte[] address = new byte[Integer.BYTES];
            try (NativeBytes memory = memory()) {
                calls().option(number, place.level(), place.name(), memory.address(), address.length);
                memory.bytes().get(0, address);
            }
            InetAddress of = Objects.requireNonNull(InetAddress.getByAddress(address));
            return of.isAnyLocalAddress() ? null : NetworkInterface.getByInetAddress(of);
        }
    }
}
