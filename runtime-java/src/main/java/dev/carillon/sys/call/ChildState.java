package dev.carillon.sys.call;

/**
 * What waitid(2) tells about a child.
 *
 * @param code CLD_EXITED, CLD_KILLED or CLD_DUMPED
 * @param status the exit code, or the signal
 */
public record ChildState(int pid, int code, int status) {}
