package store

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
)

const (
	// spareBytes is what deleting may need on a full disk: the write-ahead log can only be used again after what it has was
	// written to the file, which may have to become longer for that.
	spareBytes = 4 * keptLog
	// sparedFrom is the size of data files that have a spare file.
	sparedFrom = 2 * spareBytes
)

// spareFile is a filler file next to the data file. It is deleted to make room for a deletion on a full disk.
type spareFile struct {
	path   string
	from   int64 // The size of data files that have one.
	exists atomic.Bool
}

func newSpareFile(data string) *spareFile {
	f := &spareFile{path: data + "-reserve", from: sparedFrom}
	_, err := os.Stat(f.path)
	f.exists.Store(err == nil)
	return f
}

// lacks reports whether a data file of a size should have a spare file, and has none.
func (f *spareFile) lacks(size int64) bool { return size >= f.from && !f.exists.Load() }

// create writes the file, unless the disk has no space for it.
func (f *spareFile) create() error {
	file, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.CopyN(file, zeros{}, spareBytes)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return os.Remove(f.path)
	}
	f.exists.Store(true)
	return nil
}

// remove deletes the file, and reports whether there was one. PostgreSQL has none: f is nil.
func (f *spareFile) remove() bool {
	return f != nil && f.exists.CompareAndSwap(true, false) && os.Remove(f.path) == nil
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
