package dev.carillon.io;

import dev.carillon.io.backend.Argument;
import dev.carillon.sys.Fd;
import java.util.List;

/**
 * What {@link StreamSocket#receiveDescriptorsAsync} brings.
 *
 * @param bytes how many bytes were read, -1 at the end
 * @param descriptors what came with them, in order; the receiver closes each
 */
public record ReceivedDescriptors(int bytes, List<PassedDescriptor> descriptors) {
    /** Copies the list. */
    public ReceivedDescriptors {
        descriptors = List.copyOf(descriptors);
    }

    /** Makes it of what the kernel has brought. */
    record Expected(int most) implements Argument.DescriptorReceiver {
        @Override
        public Object received(int bytes, List<Fd> descriptors) {
            return new ReceivedDescriptors(
                    bytes, descriptors.stream().map(PassedDescriptor::new).toList());
        }
    }
}
