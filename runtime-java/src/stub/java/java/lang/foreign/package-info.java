/**
 * The part of java.lang.foreign that {@code dev.carillon.sys} uses, as JDK 22 declares it, for a compiler that knows Java
 * 17 only. Signatures alone: the compiler reads these sources and writes no classes of them. At run time the JDK's own
 * types have these names.
 */
package java.lang.foreign;
