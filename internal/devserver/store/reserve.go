package store

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
)

const (
	// reserveBytes is what deleting may need on a full disk: the write-ahead log can only be used again after what it has was
	// written to the file, which may have to become longer for that.
	reserveBytes = 4 * keptLog
	// reservedFrom is the size of files that have a reserve.
	reservedFrom = 2 * reserveBytes
)

// reserve is a file of nothing that is deleted so that rows can be deleted when the disk is full.
type reserve struct {
	path string
	from int64 // The size of files that have one.
	made atomic.Bool
}

func newReserve(path string) *reserve {
	r := &reserve{path: path + "-reserve", from: reservedFrom}
	_, err := os.Stat(r.path)
	r.made.Store(err == nil)
	return r
}

// lacks reports whether a file of a size should have a reserve, and has none.
func (r *reserve) lacks(size int64) bool { return size >= r.from && !r.made.Load() }

// make writes the file, unless the disk has no space for it.
func (r *reserve) make() error {
	file, err := os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.CopyN(file, zeros{}, reserveBytes)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return os.Remove(r.path)
	}
	r.made.Store(true)
	return nil
}

// use deletes the file, and says whether there was one.
func (r *reserve) use() bool { return r.made.CompareAndSwap(true, false) && os.Remove(r.path) == nil }

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
