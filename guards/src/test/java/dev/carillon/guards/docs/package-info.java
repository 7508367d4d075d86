/** Guards over documents: rules of the specification, links, code shown in text. */
@NullMarked
package dev.carillon.guards.docs;

import org.jspecify.annotations.NullMarked;
