package dev.carillon.coroutines;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.io.StreamSocket;
import dev.carillon.loop.EventLoop;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import kotlin.Unit;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.CoroutineScopeKt;
import kotlinx.coroutines.CoroutineStart;
import kotlinx.coroutines.future.FutureKt;
import org.junit.jupiter.api.Test;

/** What Java code sees of the Kotlin face: names without Kt, and suspend functions that become futures. */
class JavaCallerTest {
    @Test
    void javaFindsTheDispatcherOfALoopAndTheLoopOfADispatcher() {
        try (EventLoop loop = EventLoop.open().start()) {
            LoopDispatcher dispatcher = LoopDispatchers.of(loop);
            assertSame(loop, dispatcher.loop());
            assertSame(loop, new LoopElement(loop).loop());
            assertSame(loop, LoopContexts.loopOf(dispatcher));
        }
    }

    @Test
    void javaMakesFuturesOfSuspendFunctions() throws Exception {
        try (EventLoop loop = EventLoop.open().start()) {
            List<StreamSocket> pair = StreamSocket.pair(loop);
            CoroutineScope scope = CoroutineScopeKt.CoroutineScope(LoopDispatchers.of(loop));
            ByteBuffer buffer = ByteBuffer.allocate(8);
            CompletableFuture<Integer> read = FutureKt.future(
                    scope,
                    EmptyCoroutineContext.INSTANCE,
                    CoroutineStart.DEFAULT,
                    (inScope, continuation) -> LoopStreams.readSome(pair.get(1), buffer, continuation));
            assertEquals(
                    4, pair.get(0).writeSomeAsync(ByteBuffer.wrap(new byte[4])).get(20, TimeUnit.SECONDS));
            assertEquals(4, read.get(20, TimeUnit.SECONDS));
            pair.forEach(StreamSocket::close);
        }
    }

    @Test
    void javaUsesALoopsOwnToolsFromItsTasks() throws Exception {
        try (EventLoop loop = EventLoop.open().start()) {
            LoopChannel<String> channel = new LoopChannel<>(loop, 1);
            assertTrue(!new LoopChannel<String>(loop).isClosed());
            LoopMutex mutex = new LoopMutex(loop);
            CompletableFuture<Unit> done = new CompletableFuture<>();
            loop.execute(() -> {
                assertTrue(channel.trySend("element"));
                assertEquals("element", channel.tryReceive());
                assertTrue(mutex.tryLock());
                mutex.unlock();
                channel.close();
                assertTrue(channel.isClosed());
                done.complete(Unit.INSTANCE);
            });
            done.get(20, TimeUnit.SECONDS);
        }
    }
}
