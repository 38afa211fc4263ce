// Package wholefile writes small files whole.
//
//	content ──> .name-123 (temporary, same directory) ──fsync──> rename to name ──> fsync of the directory
//
// A reader sees the old file or the new one. What a crash leaves is the temporary file.
package wholefile
