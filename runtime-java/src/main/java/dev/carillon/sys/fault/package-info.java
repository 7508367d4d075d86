/** What an atomic access meets where its page is gone: a page of zeros, and not the end of the VM. */
@NullMarked
package dev.carillon.sys.fault;

import org.jspecify.annotations.NullMarked;
