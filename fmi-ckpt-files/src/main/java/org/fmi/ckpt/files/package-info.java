/**
 * Level-2 checkpoints: files in a directory that all nodes share, which outlive the job.
 *
 * <p>{@code docs/checkpoint-format.md} defines the bytes. A manifest commits a version, and is
 * written only after all files that it names. So a crash at any moment leaves older versions
 * intact.
 */
@NullMarked
package org.fmi.ckpt.files;

import org.jspecify.annotations.NullMarked;
