package dev.carillon.coroutines

import dev.carillon.test.ChildCommand
import dev.carillon.test.ChildJvm
import dev.carillon.test.ChildProcess
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Assumptions.assumeTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.io.File
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Method
import java.nio.file.Files
import java.nio.file.Path
import java.security.MessageDigest
import java.time.Duration
import java.util.HexFormat
import java.util.SplittableRandom
import kotlin.coroutines.Continuation
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.coroutines.intrinsics.startCoroutineUninterceptedOrReturn
import kotlin.system.exitProcess

// r[verify kt.versions]

/** Our own tests once more, in a VM that has the oldest Kotlin and kotlinx.coroutines which we support. */
class OldestVersionsIT {
    /** The two jars, which the build puts there; they are in no class path of ours. */
    private val oldest: List<Path> by lazy {
        val named = System.getProperty("carillon.oldest").orEmpty()
        assumeTrue(
            named.isNotEmpty(),
            "no property carillon.oldest: a build of Maven or Gradle names the two jars by it",
        )
        named.split(File.pathSeparator).map { Path.of(it) }
    }

    @Test
    fun ourTestsPassOnTheOldestVersions() {
        child(Suite::class.java, oldest).use { child ->
            val exit = child.awaitExit(PATIENCE)
            assertEquals(0, exit.code(), exit::toString)
            println(exit.stdout().last())
        }
    }

    @Test
    fun theJarsAreThoseThatWereReviewed() {
        val reviewed =
            Files.readString(
                Path.of(System.getProperty("carillon.root"), "gradle/verification-metadata.xml"),
            )
        for (jar in oldest) {
            val hash = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar)))
            val entry =
                reviewed
                    .substringAfter(
                        "<artifact name=\"${jar.fileName}\">",
                        "",
                    ).substringBefore("</artifact>")
            assertTrue(hash in entry) { "$jar is $hash, gradle/verification-metadata.xml says: $entry" }
        }
    }

    @Test
    fun aVersionThatIsTooOldIsRefusedAtTheFirstUseWithAdvice(
        @TempDir folder: Path,
    ) {
        Files.createDirectory(folder.resolve("META-INF"))
        Files.writeString(folder.resolve("META-INF/kotlinx_coroutines_core.version"), "1.7.3")
        child(FirstUse::class.java, listOf(folder) + oldest).use { child ->
            repeat(2 + FirstUse.CALLS) {
                child.awaitLine(
                    "refused: carillon-coroutines needs kotlinx.coroutines 1.8.1 or newer, and found 1.7.3",
                    PATIENCE,
                )
            }
            assertEquals(0, child.awaitExit(PATIENCE).code())
        }
    }

    @Test
    fun versionsAreComparedByTheirNumbers() {
        fun problem(found: String?) = Versions.problem("it", found, "1.8.1", String::class.java)
        for (fine in listOf(
            null,
            "1.8.1",
            "1.8.1\n",
            "1.8.2-RC",
            "1.10.0",
            "1.11",
            "2.0.0-Beta1",
        )) {
            assertNull(problem(fine))
        }
        for (old in listOf("1.8.0", "1.8", "1.7.3", "0.99.0", "1.8.0-RC2")) {
            assertTrue("it 1.8.1 or newer, and found $old" in problem(old).orEmpty(), old)
        }
    }

    /** With a class path that has these instead of what we have of the same kind. */
    private fun child(
        main: Class<*>,
        instead: List<Path>,
    ): ChildProcess {
        val command = ChildJvm.of(main).vmFlags("-Dkotlinx.coroutines.debug=off").command()
        val index = command.indexOf("-cp") + 1
        val rest = command[index].split(File.pathSeparator).filterNot { OURS.containsMatchIn(it) }
        command[index] = (instead.map { it.toAbsolutePath().toString() } + rest).joinToString(File.pathSeparator)
        return ChildCommand.of(*command.toTypedArray()).start()
    }

    object FirstUse {
        @JvmStatic
        fun main(arguments: Array<String>) {
            dev.carillon.loop.EventLoop.open().use { loop ->
                repeat(2) {
                    tried { println(loop.dispatcher) }
                }
                loop.start()
                TwoEnds(loop).use { callsOf(it).forEach(::triedAtOnce) }
            }
        }

        /** None of them has to suspend. */
        private fun callsOf(ends: TwoEnds): List<suspend () -> Any?> {
            val channel = ends.async.openChannel()
            ends.guest.acceptChannel(PATIENCE)
            repeat(2) { ends.guest.trySend(TwoEnds.frame(it)) }
            val calls =
                listOf<suspend () -> Any?>(
                    { ends.async.receive() },
                    { ends.async.send(TwoEnds.frame(1)) },
                    { ends.async.claim(8) { it.commit(1, 0, 1) } },
                    { ends.async.awaitData() },
                    { ends.async.awaitSpace() },
                    { channel.send(TwoEnds.frame(1)) },
                    { channel.awaitCredit(0) },
                )
            check(calls.size == CALLS) { "${calls.size} calls" }
            return calls
        }

        private fun triedAtOnce(call: suspend () -> Any?) =
            tried {
                val unused = call.startCoroutineUninterceptedOrReturn(Continuation(EmptyCoroutineContext) { })
                println("went through: $unused")
            }

        private fun tried(call: () -> Unit) {
            try {
                call()
            } catch (refused: UnsupportedOperationException) {
                println("refused: ${refused.message}")
            }
        }

        const val CALLS = 7
    }

    /** Runs tests without JUnit's engine, which Surefire puts on no class path that a child could have. */
    object Suite {
        private val folders = mutableListOf<Path>()
        private val classes =
            listOf(
                HandoverTest::class,
                HandoverRaceTest::class,
                SignalsTest::class,
                DoorbellsTest::class,
                OperationsTest::class,
                CancelledTurnTest::class,
                ResumeTest::class,
                DelayTest::class,
                LoopLocalTest::class,
                LoopWaitTest::class,
                ClosedLoopTest::class,
                EndOfLoopFramesTest::class,
                ChildrenTest::class,
                LoopElementTest::class,
            )

        @JvmStatic
        fun main(arguments: Array<String>) {
            println("Kotlin ${KotlinVersion.CURRENT}, kotlinx.coroutines ${coroutines()}")
            check(KotlinVersion.CURRENT.toString() == Versions.OLDEST_KOTLIN) { "not the oldest Kotlin" }
            check(coroutines() == Versions.OLDEST_COROUTINES) { "not the oldest kotlinx.coroutines" }
            val tests =
                classes.flatMap { type ->
                    type.java.declaredMethods.filter { it.isAnnotationPresent(Test::class.java) }
                }
            val failed = tests.count { !passes(it) }
            folders.forEach { it.toFile().deleteRecursively() }
            println("passed ${tests.size - failed} of ${tests.size}")
            exitProcess(if (failed == 0 && tests.size > LEAST) 0 else 1)
        }

        private fun coroutines(): String? =
            javaClass.getResource("/META-INF/kotlinx_coroutines_core.version")?.readText()

        private fun passes(test: Method): Boolean {
            val case = test.declaringClass.getDeclaredConstructor().newInstance()
            return try {
                test.invoke(case, *test.parameterTypes.map(::argument).toTypedArray())
                (case as? LoopCase)?.closeWhatWasOpened()
                true
            } catch (failed: InvocationTargetException) {
                println("FAILED ${test.declaringClass.simpleName}.${test.name}")
                failed.cause?.printStackTrace(System.out)
                false
            }
        }

        private fun argument(type: Class<*>): Any =
            when (type) {
                SplittableRandom::class.java -> SplittableRandom()
                Path::class.java -> Files.createTempDirectory("carillon").also { folders.add(it) }
                else -> error("no argument for $type")
            }

        private const val LEAST = 50
    }

    private companion object {
        private val PATIENCE: Duration = Duration.ofSeconds(110)
        private val OURS = Regex("/(kotlin-stdlib|kotlinx-coroutines-core)[^/]*[.]jar$")
    }
}
