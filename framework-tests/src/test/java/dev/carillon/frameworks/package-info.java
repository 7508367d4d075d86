/** Services of other frameworks, with a lifecycle, as processes that get signals. */
@NullMarked
package dev.carillon.frameworks;

import org.jspecify.annotations.NullMarked;
