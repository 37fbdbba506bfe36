/** Holds the documents to the code, and their links to what they lead to. */
@NullMarked
package org.fmi.run.docs;

import org.jspecify.annotations.NullMarked;
