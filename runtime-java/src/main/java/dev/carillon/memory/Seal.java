package dev.carillon.memory;

import dev.carillon.sys.layout.Constants;
import java.util.EnumSet;
import java.util.Set;

/**
 * What no process can do to a memfd any more.
 *
 * <p><b>See:</b> fcntl(2), memfd_create(2).
 */
public enum Seal {
    /** It does not become smaller: no access to it can ever fault. */
    SHRINK(Constants.F_SEAL_SHRINK),
    /** It does not become larger. */
    GROW(Constants.F_SEAL_GROW),
    /** It gets no more seals: no process can make it read-only under its users. */
    SEAL(Constants.F_SEAL_SEAL);

    private final int flag;

    Seal(int flag) {
        this.flag = flag;
    }

    static int flags(Set<Seal> seals) {
        return seals.stream().mapToInt(seal -> seal.flag).reduce(0, (one, other) -> one | other);
    }

    static Set<Seal> of(int flags) {
        Set<Seal> seals = EnumSet.allOf(Seal.class);
        seals.removeIf(seal -> (flags & seal.flag) == 0);
        return seals;
    }
}
