/**
 * Level-2 checkpoints: files in a directory that all nodes share, which outlive the job.
 *
 * <p>{@code docs/checkpoint-format.md} says what the bytes mean. A version counts only once its
 * manifest is there, and the manifest is written only once all that it names is: whatever dies at
 * whatever moment leaves older versions as they were.
 */
@NullMarked
package org.fmi.ckpt.files;

import org.jspecify.annotations.NullMarked;
