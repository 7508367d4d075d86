package dev.carillon.shm;

/**
 * What has gone through a link, as one side has counted it.
 *
 * @param framesSent by this side
 * @param bytesSent the payload of those
 * @param framesReceived by this side
 * @param bytesReceived the payload of those
 */
public record LinkStats(long framesSent, long bytesSent, long framesReceived, long bytesReceived) {}
