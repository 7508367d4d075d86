package dev.carillon.sys.layout;

/** struct pollfd. See poll(2). */
public final class PollfdLayout {
    public static final int SIZE = 8;
    public static final int FD = 0;
    public static final int EVENTS = 4;
    public static final int REVENTS = 6;

    private PollfdLayout() {}
}
