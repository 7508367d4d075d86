package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.LibC;
import dev.carillon.sys.Seccomp;
import dev.carillon.sys.layout.SyscallNumbers;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Futures;
import dev.carillon.test.proc.TaskStat;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups on kernels where only a number names them: the leader stays a zombie while they are ended. */
final class GroupWithoutPidfdIT {
    // r[verify process.end] r[verify process.group-signal]
    @ParameterizedTest
    @ValueSource(strings = {"without", "ENOSYS", "EPERM", "EINVAL"})
    void aTreeIsEndedWhereOnlyItsNumberNamesIt(String how) {
        ChildJvm vm = ChildJvm.of(Ends.class).args(how);
        ChildExit exit = (how.equals("without") ? vm.vmFlags("-Dcarillon.without=pidfd_open") : vm).run(Running.LIMIT);
        assertEquals(
                List.of(
                        "told terminated by SIGTERM, zombie true",
                        "ended terminated by SIGTERM, others: , zombie false",
                        "left behind: sent false"),
                exit.stdout(),
                exit::toString);
        assertEquals(0, exit.code(), exit::toString);
    }

    static final class Ends {
        private Ends() {}

        public static void main(String[] args) {
            try (EventLoop loop = EventLoop.open().start()) {
                refuse(args[0]);
                Child leader =
                        GroupIT.start(GroupIT.shell(GroupIT.WITH_DEAF_CHILD).ownGroup(), loop);
                // The grace lasts until the look, however late that comes.
                var ended = leader.end(Duration.ofHours(1));
                System.out.println("told " + Running.exitOf(leader) + ", zombie " + isZombie(leader));
                var unused = leader.end(Duration.ofMillis(50));
                System.out.println("ended " + Futures.get(ended) + ", others: " + Running.all(leader.stdout())
                        + ", zombie " + isZombie(leader));
                Child gone = GroupIT.start(
                        GroupIT.shell("exec 3<&0; sh -c 'echo ready; exec cat' <&3 & exit 0")
                                .stdin(Stdio.pipe())
                                .ownGroup(),
                        loop);
                Running.exitOf(gone);
                System.out.println("left behind: sent " + gone.sendToGroup(Signal.SIGKILL));
                gone.close();
            }
        }

        private static void refuse(String errno) {
            switch (errno) {
                case "ENOSYS" -> Seccomp.refuse(LibC.get(), 38, SyscallNumbers.PIDFD_SEND_SIGNAL);
                case "EPERM" -> Seccomp.refuse(LibC.get(), 1, SyscallNumbers.PIDFD_SEND_SIGNAL);
                case "EINVAL" -> Seccomp.refuse(LibC.get(), 22, SyscallNumbers.PIDFD_SEND_SIGNAL);
                default -> {}
            }
        }

        private static boolean isZombie(Child child) {
            return TaskStat.read("/proc/" + child.pid())
                    .filter(stat -> stat.state() == 'Z')
                    .isPresent();
        }
    }
}
