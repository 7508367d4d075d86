/** Machine code: how its listings are read, and the pages that it runs in. */
@NullMarked
package dev.carillon.sys.code;

import org.jspecify.annotations.NullMarked;
