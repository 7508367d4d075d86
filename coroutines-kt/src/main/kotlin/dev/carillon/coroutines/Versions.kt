package dev.carillon.coroutines

import kotlinx.coroutines.Job

// r[impl kt.versions]

/**
 * Whether the libraries that the user's build has chosen are new enough: an older one would fail later, in the middle of
 * a callback, with a NoSuchMethodError.
 *
 * Looked at once, with the first dispatcher or the first wait. A library without a version is taken as it is.
 */
internal object Versions {
    const val OLDEST_KOTLIN: String = "2.1.0"
    const val OLDEST_COROUTINES: String = "1.8.1"

    private const val COROUTINES_FILE = "/META-INF/kotlinx_coroutines_core.version"

    private val problem: String? =
        problem("Kotlin's standard library", KotlinVersion.CURRENT.toString(), OLDEST_KOTLIN, KotlinVersion::class.java)
            ?: problem("kotlinx.coroutines", coroutines(), OLDEST_COROUTINES, Job::class.java)

    /** @throws UnsupportedOperationException if a library is too old */
    fun ensure() {
        if (problem != null) {
            throw UnsupportedOperationException(problem)
        }
    }

    /** In the manifest, which has been read anyway; the older ones have a file instead. */
    private fun coroutines(): String? =
        Job::class.java.`package`?.implementationVersion
            ?: Job::class.java.getResourceAsStream(COROUTINES_FILE)?.use { String(it.readBytes(), Charsets.US_ASCII) }

    fun problem(
        what: String,
        found: String?,
        oldest: String,
        place: Class<*>,
    ): String? {
        if (found == null || numbers(found) >= numbers(oldest)) {
            return null
        }
        val where = place.protectionDomain?.codeSource?.location
        return "carillon-coroutines needs $what $oldest or newer, and found $found in $where; raise the version in " +
            "your build. With Spring Boot these are the properties kotlin.version and kotlin-coroutines.version"
    }

    /** As in 1.8.1-RC2; what is no number counts as zero. */
    private fun numbers(version: String): Long =
        version.trim().split('.', '-').let { parts ->
            (0 until PARTS).fold(0L) { sum, index -> sum * MAX + (parts.getOrNull(index)?.toLongOrNull() ?: 0) }
        }

    private const val PARTS = 3
    private const val MAX = 100_000
}
