package dev.carillon.admin;

/** A body that is no request, and why. */
final class MalformedBody extends Exception {
    private static final long serialVersionUID = 1;

    MalformedBody(String why) {
        super(why, null, false, false);
    }
}
