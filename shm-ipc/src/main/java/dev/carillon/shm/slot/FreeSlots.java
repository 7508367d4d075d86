package dev.carillon.shm.slot;

/** The sender's free list: a stack for each class, so that the slot that was used last, and is in the cache, comes first. */
final class FreeSlots {
    /** Class by class, as the slots are numbered; each class's part is filled from its start. */
    private final int[] stack;

    private final int[] bottom;
    private final int[] top;

    /** All slots are free, the lowest of each class on top. */
    FreeSlots(SlotTable table) {
        stack = new int[table.slots()];
        bottom = new int[table.classes()];
        top = new int[table.classes()];
        for (int slotClass = 0; slotClass < bottom.length; slotClass++) {
            bottom[slotClass] = table.first(slotClass);
            top[slotClass] = table.first(slotClass);
            for (int i = table.count(slotClass) - 1; i >= 0; i--) {
                push(slotClass, table.first(slotClass) + i);
            }
        }
    }

    int count(int slotClass) {
        return top[slotClass] - bottom[slotClass];
    }

    boolean isEmpty(int slotClass) {
        return top[slotClass] == bottom[slotClass];
    }

    /** The slot on top of a stack that is not empty. */
    int peek(int slotClass) {
        return stack[top[slotClass] - 1];
    }

    void pop(int slotClass) {
        top[slotClass]--;
    }

    void push(int slotClass, int slot) {
        stack[top[slotClass]++] = slot;
    }
}
