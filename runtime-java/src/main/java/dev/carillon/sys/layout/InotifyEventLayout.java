package dev.carillon.sys.layout;

/** struct inotify_event: one change, with a name of LEN bytes behind it. See inotify(7). */
public final class InotifyEventLayout {
    public static final int SIZE = 16;
    public static final int WD = 0;
    public static final int MASK = 4;
    public static final int COOKIE = 8;
    public static final int LEN = 12;
    public static final int NAME = 16;

    private InotifyEventLayout() {}
}
