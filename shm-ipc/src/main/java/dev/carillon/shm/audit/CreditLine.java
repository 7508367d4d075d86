package dev.carillon.shm.audit;

/**
 * A line of credit, as it was read.
 *
 * @param granted all that may ever have been sent on the channels of this index
 * @param taken the channel whose data the receiver takes, 0 if none
 * @param reset the channel that the receiver has reset, 0 if none
 * @param stoodStill whether taken was the same after all of it was read
 */
public record CreditLine(long granted, int taken, int reset, EventSeen event, boolean stoodStill) {}
