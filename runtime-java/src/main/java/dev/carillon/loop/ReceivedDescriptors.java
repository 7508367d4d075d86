package dev.carillon.loop;

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
}
