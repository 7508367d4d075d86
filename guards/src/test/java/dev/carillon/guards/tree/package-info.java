/** What all guards share: the tree read once, sources lexed once, and findings that say what to do. */
@NullMarked
package dev.carillon.guards.tree;

import org.jspecify.annotations.NullMarked;
