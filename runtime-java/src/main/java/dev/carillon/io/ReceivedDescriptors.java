package dev.carillon.io;

import dev.carillon.io.backend.Argument;
import dev.carillon.sys.Fd;
import java.util.List;

/**
 * The result of {@link StreamSocket#receiveDescriptorsAsync}.
 *
 * @param bytes how many bytes were read, -1 at the end
 * @param descriptors the descriptors that came with them, in order; the receiver closes each
 */
public record ReceivedDescriptors(int bytes, List<PassedDescriptor> descriptors) {
    /** Copies the list. */
    public ReceivedDescriptors {
        descriptors = List.copyOf(descriptors);
    }

    /** Makes the result from what the kernel returned. */
    record Expected(int most) implements Argument.DescriptorReceiver {
        @Override
        public Object received(int bytes, List<Fd> descriptors) {
            return new ReceivedDescriptors(
                    bytes, descriptors.stream().map(PassedDescriptor::new).toList());
        }
    }
}
