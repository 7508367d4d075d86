package dev.carillon.shm.channel;

/**
 * A control frame that is to be sent.
 *
 * @param type what it says
 * @param id about which channel
 */
public record ControlFrame(ControlType type, int id) {}
