package dev.carillon.loop.queue;

/** What could be wrong with the use of a {@link ParkState}. */
enum ParkMistake {
    /** The loop commits without looking at the queue again. */
    LOOKS_NOT_AGAIN("lost"),

    /** The loop looks at the queue and announces then. */
    LOOKS_BEFORE_IT_ANNOUNCES("lost"),

    /** The loop blocks although a poster has taken its announcement back. */
    BLOCKS_WITHOUT_A_COMMIT("lost"),

    /** The poster looks at the state and posts then. */
    OBSERVES_BEFORE_IT_POSTS("lost"),

    /** The poster takes a loop that is about to park for one that runs. */
    TAKES_PARKING_FOR_RUNNING("lost"),

    /** The poster writes if it has seen the loop parked, without claiming that it is the one who does. */
    WRITES_WITHOUT_A_CLAIM("writes for"),

    /** The loop looks at the queue and publishes then when it wakes by itself. */
    PUBLISHES_ITS_TIME_TOO_LATE("lost");

    final String leadsTo;

    ParkMistake(String leadsTo) {
        this.leadsTo = leadsTo;
    }
}
