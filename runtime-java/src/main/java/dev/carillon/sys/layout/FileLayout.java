package dev.carillon.sys.layout;

/** What files are opened with and what they tell about themselves. */
public final class FileLayout {
    private FileLayout() {}

    /** struct open_how. See openat2(2). */
    public static final class OpenHow {
        public static final int SIZE = 24;
        public static final int FLAGS = 0;
        public static final int MODE = 8;
        public static final int RESOLVE = 16;

        private OpenHow() {}
    }

    /** struct statx, which is the same on every architecture (struct stat is not). See statx(2). */
    public static final class Statx {
        public static final int SIZE = 256;
        public static final int STX_MASK = 0;
        public static final int STX_BLKSIZE = 4;
        public static final int STX_NLINK = 16;
        public static final int STX_UID = 20;
        public static final int STX_GID = 24;
        public static final int STX_MODE = 28;
        public static final int STX_INO = 32;
        public static final int STX_SIZE = 40;
        public static final int STX_BLOCKS = 48;
        public static final int STX_DEV_MAJOR = 136;
        public static final int STX_DEV_MINOR = 140;

        private Statx() {}
    }
}
