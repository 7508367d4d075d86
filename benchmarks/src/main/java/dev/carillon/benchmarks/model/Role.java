package dev.carillon.benchmarks.model;

/** What a variant stands for in a comparison. */
public enum Role {
    /** The code of this project. */
    OURS,
    /** What a user would pick instead. */
    PEER,
    /** C, the limit. Of several in a case the first one counts. */
    YARDSTICK,
    /** Something that goals name, in no competition with us. */
    BASE
}
