//go:build !linux

package store

import "os"

// temporaryRoots returns where temporary databases may be.
func temporaryRoots() []string { return []string{os.TempDir()} }
