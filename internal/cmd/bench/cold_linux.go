package main

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// dontNeed is POSIX_FADV_DONTNEED.
const dontNeed = 4

// forgetFile removes a file and its side files from the memory of the system, so that the next read comes from the disk.
func forgetFile(path string) error {
	names, err := filepath.Glob(path + "*")
	for _, name := range names {
		err = errors.Join(err, forgetOne(name))
	}
	return err
}

func forgetOne(name string) (err error) {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := file.Sync(); err != nil { // Only what is on the disk can be removed.
		return err
	}
	if _, _, failed := syscall.Syscall6(syscall.SYS_FADVISE64, file.Fd(), 0, 0, dontNeed, 0, 0); failed != 0 {
		return failed
	}
	return nil
}
