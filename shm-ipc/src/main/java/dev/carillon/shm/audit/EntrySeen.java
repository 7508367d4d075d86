package dev.carillon.shm.audit;

import org.jspecify.annotations.Nullable;

/**
 * The header of an entry, as it was read.
 *
 * @param position of the entry, in the counting of head and tail
 * @param fault why no correct peer writes it; null if one may
 * @param slot the number of its slot, {@link dev.carillon.shm.ring.EntryLayout#INLINE} if it has none
 * @param slotWord the word of that slot, read after the header; 0 if there is no such slot
 */
record EntrySeen(
        long position,
        @Nullable String fault,
        int type,
        int flags,
        int channel,
        long id,
        int length,
        int slot,
        int generation,
        long slotWord) {}
