package framework

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"
)

// Notes are what a plan leaves for the plan within its own apply. Terraform plans once more while it applies, in another
// process of the provider, and tells it neither that it does nor what was planned. A note lies in a file until it is taken.
// Where none can be written or found, as on another machine, Take returns nothing: a note improves an error, no more.
type Notes struct {
	// Directory is where they lie; nothing is noted if it is empty.
	Directory string
}

// notesKept is how long notes of plans stay that were never applied.
const notesKept = 7 * 24 * time.Hour

// NewNotes lie in the user's cache.
func NewNotes() Notes {
	cache, err := os.UserCacheDir()
	if err != nil {
		return Notes{}
	}
	return Notes{Directory: filepath.Join(cache, "terraform-provider-agentplane", "plans")}
}

// Leave notes a text under a key, in place of an earlier one.
func (n Notes) Leave(key, text string) {
	if n.Directory == "" || os.MkdirAll(n.Directory, 0o700) != nil {
		return
	}
	old, _ := os.ReadDir(n.Directory)
	for _, entry := range old {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > notesKept {
			_ = os.Remove(filepath.Join(n.Directory, entry.Name()))
		}
	}
	_ = os.WriteFile(n.file(key), []byte(text), 0o600)
}

// Take returns what was noted under a key, once.
func (n Notes) Take(key string) string {
	if n.Directory == "" {
		return ""
	}
	text, err := os.ReadFile(n.file(key))
	if err != nil {
		return ""
	}
	_ = os.Remove(n.file(key))
	return string(text)
}

// file is safe whatever the key, which the service may have chosen.
func (n Notes) file(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(n.Directory, hex.EncodeToString(sum[:16]))
}
