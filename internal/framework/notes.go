package framework

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"
)

// Notes pass texts from a plan to the plan within its apply. Terraform plans again while it applies, in another process of the
// provider, and doesn't tell that process about it or about the earlier plan. A note is a file until it is taken. If it can't be
// written or found, for example on another machine, Take returns nothing: a note only improves an error.
type Notes struct {
	// Directory contains the files; if it is empty, nothing is noted.
	Directory string
}

// notesKept is the lifetime of notes of plans that were never applied.
const notesKept = 7 * 24 * time.Hour

// NewNotes returns notes in the user's cache directory.
func NewNotes() Notes {
	cache, err := os.UserCacheDir()
	if err != nil {
		return Notes{}
	}
	return Notes{Directory: filepath.Join(cache, "terraform-provider-agentplane", "plans")}
}

// Leave stores a text under a key and replaces an earlier one.
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

// Take returns and removes the text under a key.
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

// file returns the name of the file, which is safe for any key, even one that the service has chosen.
func (n Notes) file(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(n.Directory, hex.EncodeToString(sum[:16]))
}
