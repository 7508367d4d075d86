package dev.carillon.sys.call;

import static dev.carillon.sys.layout.Constants.SOCK_STREAM;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

abstract class DescriptorMessageContract extends SysContract {
    DescriptorMessageContract(LibC libc) {
        super(libc);
    }

    @Test
    void descriptorsArriveInOrderAndAreNotInherited() {
        Fd[] pair = sys.sockets().pair(SOCK_STREAM);
        int sending = number(pair[0]);
        int receiving = number(pair[1]);
        DescriptorMessage message = sys.descriptorMessage(4);
        assertEquals(-Errno.EAGAIN, message.receive(receiving, at(0), 8));
        int first = number(sys.clocks().event(1));
        int second = number(sys.clocks().event(2));
        assertEquals(3, message.send(sending, at(0), 3, first, second));
        assertEquals(3, message.receive(receiving, at(0), 8));
        List<Fd> got = message.takeDescriptors();
        assertEquals(2, got.size());
        for (int i = 0; i < 2; i++) {
            int fd = number(got.get(i));
            assertTrue(sys.descriptors().isCloseOnExec(fd));
            assertEquals(8, sys.descriptors().read(fd, at(0), 8));
            assertEquals(i + 1, memory.bytes().getLong(0));
        }
        assertEquals(List.of(), message.takeDescriptors());
    }

    @Test
    void bytesWithoutDescriptorsBringNone() {
        Fd[] pair = sys.sockets().pair(SOCK_STREAM);
        DescriptorMessage message = sys.descriptorMessage(1);
        assertEquals(8, sys.sockets().send(number(pair[0]), at(0), 8));
        assertEquals(8, message.receive(number(pair[1]), at(0), 8));
        assertEquals(List.of(), message.takeDescriptors());
    }

    // r[verify sys.passing]
    @Test
    void moreDescriptorsThanRoomAreAnErrorAndLeakNothing() {
        Fd[] pair = sys.sockets().pair(SOCK_STREAM);
        int sending = number(pair[0]);
        int receiving = number(pair[1]);
        int event = number(sys.clocks().event(1));
        int[] many = new int[10];
        Arrays.fill(many, event);
        sys.descriptorMessage(10).send(sending, at(0), 1, many);
        DescriptorMessage small = sys.descriptorMessage(3);
        int before = Descriptors.count();
        assertEquals(1, small.receive(receiving, at(0), 8));
        SyscallException e = assertThrows(SyscallException.class, small::takeDescriptors);
        assertEquals(Errno.EMFILE, e.errno());
        Deadline.after(Duration.ofSeconds(20)).await("all are closed", () -> Descriptors.count() <= before);
        assertEquals(List.of(), small.takeDescriptors());
    }

    @Test
    void theMostThatTheKernelPassesIsPassed() {
        Fd[] pair = sys.sockets().pair(SOCK_STREAM);
        int[] many = new int[DescriptorMessage.MAX];
        Arrays.fill(many, number(sys.clocks().event(1)));
        DescriptorMessage message = sys.descriptorMessage(DescriptorMessage.MAX);
        assertEquals(1, message.send(number(pair[0]), at(0), 1, many));
        assertEquals(1, message.receive(number(pair[1]), at(0), 8));
        List<Fd> got = message.takeDescriptors();
        got.forEach(Fd::close);
        assertEquals(DescriptorMessage.MAX, got.size());
    }

    @Test
    void descriptorsNeedAByteToTravelWith() {
        DescriptorMessage message = sys.descriptorMessage(1);
        assertThrows(IllegalArgumentException.class, () -> message.send(0, at(0), 0, 0));
        assertThrows(IllegalArgumentException.class, () -> message.send(0, at(0), 1));
        assertThrows(IllegalArgumentException.class, () -> message.send(0, at(0), 1, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> sys.descriptorMessage(254));
    }
}
