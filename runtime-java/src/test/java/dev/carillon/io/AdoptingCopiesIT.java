package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two copies of the library in one VM, of which each would close the number of the other. */
final class AdoptingCopiesIT {
    // r[verify io.adopt]
    @Test
    void aNumberIsAdoptedOnceInAProcess() {
        ChildExit exit = ChildJvm.of(Copies.class).run(Duration.ofSeconds(60));
        assertEquals(0, exit.code(), exit::toString);
        assertEquals(List.of("adopted before", "taken after the close"), exit.stdout(), exit::toString);
    }

    static final class Copies {
        public static void main(String[] args) throws Exception {
            Method other = secondCopy().getDeclaredMethod("adopt", int.class);
            other.setAccessible(true);
            Fd end = Sys.get().sockets().pair(Constants.SOCK_STREAM)[0];
            int number = end.acquire();
            try (EventLoop loop = EventLoop.open().start()) {
                StreamSocket.adopt(loop, number).detachAsync().get();
                StreamSocket adopted = StreamSocket.adopt(loop, number);
                try {
                    other.invoke(null, number);
                } catch (InvocationTargetException refused) {
                    String why = String.valueOf(refused.getCause());
                    System.out.println(why.contains("adopted before, as a connected stream") ? "adopted before" : why);
                }
                adopted.detachAsync().get();
                other.invoke(null, number);
                System.out.println("taken after the close");
            }
            Runtime.getRuntime().halt(0);
        }

        /** Called in the copy. */
        static void adopt(int number) {
            StreamSocket.adopt(EventLoop.shared(), number);
        }

        private static Class<?> secondCopy() throws Exception {
            String[] entries = System.getProperty("java.class.path").split(File.pathSeparator, -1);
            URL[] urls = new URL[entries.length];
            for (int i = 0; i < entries.length; i++) {
                urls[i] = Path.of(entries[i]).toUri().toURL();
            }
            ClassLoader loader = new URLClassLoader("copy", urls, ClassLoader.getPlatformClassLoader());
            return Class.forName(Copies.class.getName(), true, loader);
        }
    }
}
