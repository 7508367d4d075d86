package dev.carillon.lifecycle;

/** An event that the console of Windows sends. */
public enum WindowsEvent {
    /** Ctrl+C. */
    CTRL_C_EVENT(0),
    /** Ctrl+Break. */
    CTRL_BREAK_EVENT(1),
    /** The console window is closed. */
    CTRL_CLOSE_EVENT(2),
    /** The user logs off. */
    CTRL_LOGOFF_EVENT(5),
    /** The system shuts down. */
    CTRL_SHUTDOWN_EVENT(6);

    private final int code;

    WindowsEvent(int code) {
        this.code = code;
    }

    /** The code that Windows hands to a handler of the console. */
    public int code() {
        return code;
    }
}
