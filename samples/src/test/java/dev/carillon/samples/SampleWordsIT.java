package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What samples answer to words that they do not understand. */
class SampleWordsIT {
    @ParameterizedTest
    @CsvSource({
        "EchoServer, seven, seven, echo-server [PORT [SOCKET]]",
        "EchoServer, 65536, 65536, echo-server [PORT [SOCKET]]",
        "EchoServer, 0 /no/such/folder/socket, /no/such/folder/socket, echo-server [PORT [SOCKET]]",
        "GracefulJava, 65536, 65536, graceful-java [PORT]",
        "SharedCounter, /dev/shm, /dev/shm, shared-counter [FILE [TIMES]]",
        "SharedCounter, /dev/shm/carillon-never -1, -1, shared-counter [FILE [TIMES]]",
        "DoorbellPing, host, host, doorbell-ping",
        "ShmHost, many, many, shm-host [GUESTS [DIRECTORY]]",
        "ShmHost, 1 /no/such/folder/host, /no/such/folder/host, shm-host [GUESTS [DIRECTORY]]",
        "ShmGuest, /no/such/folder, /no/such/folder, shm-guest [DIRECTORY]",
        "ShmFlowKt, 0, 0, shm-flow [PER_SECOND]",
        "ShmFlowKt, 10 guest, guest, shm-flow [PER_SECOND]",
        "GracefulServiceKt, /no/such/folder/file, /no/such/folder/file, graceful-service [SETTINGS]",
        "ChatServerKt, 4000 more, more, chat-server [PORT]",
        "WatchFolderKt, /no/such/folder, /no/such/folder, watch-folder [FOLDER [CHANGES]]",
        "WatchFolderKt, /tmp 0, 0, watch-folder [FOLDER [CHANGES]]",
        "PressureWatchKt, /no/such/folder/file, /no/such/folder/file, pressure-watch [FILE]",
        "TlsServerKt, 0 /no/such/folder, /no/such/folder, tls-server [PORT [FOLDER]]",
        "SupervisorKt, no-such-program, no-such-program, supervisor [PROGRAM [WORD ...]]",
    })
    void aWordThatDoesNotFitIsAnsweredWithUsage(String sample, String words, String wrong, String usage) {
        ChildExit exit = ChildJvm.of("dev.carillon.samples." + sample)
                .args(words.split(" "))
                .run(Duration.ofSeconds(30));
        assertEquals(
                List.of("'" + wrong + "' is not what this sample takes.", "Usage: ./carillon sample " + usage),
                exit.stderr(),
                exit::toString);
        assertEquals(2, exit.code());
        assertEquals(List.of(), exit.stdout());
    }
}
