package dev.carillon.lifecycle;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/** What looks at a new configuration, in the order in which it was registered. <b>Threading:</b> any thread. */
final class Validators {
    private final List<Named> all = new CopyOnWriteArrayList<>();

    /** One of them; each is its own, whatever its name. */
    static final class Named {
        private final String name;
        private final ReloadValidator validator;

        private Named(String name, ReloadValidator validator) {
            this.name = name;
            this.validator = validator;
        }

        String name() {
            return name;
        }

        void validate() throws Exception {
            validator.validate();
        }
    }

    Registration add(String name, ReloadValidator validator) {
        Named named = new Named(Objects.requireNonNull(name, "name"), Objects.requireNonNull(validator, "validator"));
        all.add(named);
        return () -> all.remove(named);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** Those of this moment. */
    List<Named> all() {
        return List.copyOf(all);
    }
}
