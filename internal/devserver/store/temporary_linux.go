package store

import (
	"os"
	"syscall"
)

const (
	// sharedMemory is a file system in memory, and sharedFrom the free space from which on it is used: containers often have a small one.
	sharedMemory = "/dev/shm"
	sharedFrom   = 1 << 30
)

// temporaryRoots returns where temporary databases may be: in memory if there is room, unless the user has said where.
func temporaryRoots() []string {
	var of syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(sharedMemory, &of) != nil || of.Bavail < sharedFrom/uint64(of.Bsize) { //nolint:gosec // The size of a block is small.
		return []string{os.TempDir()}
	}
	return []string{sharedMemory, os.TempDir()}
}
