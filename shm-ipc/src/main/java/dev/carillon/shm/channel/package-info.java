/** The channels of a link: their ids, their states, and the credit that data on them needs. */
@NullMarked
package dev.carillon.shm.channel;

import org.jspecify.annotations.NullMarked;
