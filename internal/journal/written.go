package journal

import (
	"io"
	"os"
)

// written is a file where mappings cannot be had: its bytes stand in the heap, and each flush is a write.
type written struct {
	f    *os.File
	data []byte
}

// newWritten takes over f and reads size bytes of it.
func newWritten(f *os.File, size int64) (file, error) {
	data := make([]byte, size)
	if _, err := f.ReadAt(data, 0); err != nil && err != io.EOF {
		return nil, err
	}
	return &written{f: f, data: data}, nil
}

func (w *written) bytes() []byte { return w.data }

func (w *written) flush(from, to int64) error {
	_, err := w.f.WriteAt(w.data[from:to], from)
	return err
}

func (w *written) sync() error             { return w.f.Sync() }
func (w *written) shrink(size int64) error { return w.f.Truncate(size) }
func (w *written) close() error            { return w.f.Close() }
