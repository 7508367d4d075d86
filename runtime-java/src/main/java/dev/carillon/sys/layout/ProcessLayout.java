package dev.carillon.sys.layout;

/** What processes are made with and limited by. */
public final class ProcessLayout {
    private ProcessLayout() {}

    /** struct rlimit64. See prlimit(2). */
    public static final class Rlimit {
        public static final int SIZE = 16;
        public static final int RLIM_CUR = 0;
        public static final int RLIM_MAX = 8;

        private Rlimit() {}
    }

    /** posix_spawnattr_t, of which only glibc knows the inside. See posix_spawn(3). */
    public static final class SpawnAttributes {
        public static final int SIZE = 336;

        private SpawnAttributes() {}
    }

    /** posix_spawn_file_actions_t, of which only glibc knows the inside. */
    public static final class SpawnActions {
        public static final int SIZE = 80;

        private SpawnActions() {}
    }
}
