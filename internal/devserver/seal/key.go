package seal

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/crypto/nacl/secretbox"
)

// keySize is the size of keys, and nonceSize that of the nonce that makes each sealed value unique.
const (
	keySize   = 32
	nonceSize = 24
)

// creationTime is longer than it takes to write a new key.
const creationTime = time.Second

// errUnreadable means that a value was sealed with another key or for another purpose, or was modified.
var errUnreadable = errors.New("sealed with another key or for another purpose")

// Key seals secrets.
type Key struct{ master []byte }

// NewKey returns a key that exists only in memory, for data that is deleted with the process.
func NewKey() Key {
	master := make([]byte, keySize)
	_, _ = rand.Read(master) // It never fails.
	return Key{master}
}

// Create writes a new key to a file that only its owner can read. If the file exists meanwhile, it returns the key in it.
func Create(path string) (Key, error) {
	fresh := NewKey()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return Open(path)
	}
	if err != nil {
		return Key{}, fmt.Errorf("create the key: %w", err)
	}
	_, err = file.Write(fresh.master)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return Key{}, errors.Join(fmt.Errorf("write the key: %w", err), os.Remove(path))
	}
	return fresh, nil
}

// Open reads the key in a file. If there is no such file, the error is fs.ErrNotExist.
func Open(path string) (Key, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Key{}, fmt.Errorf("open the key: %w", err)
	}
	if others := info.Mode().Perm() & 0o077; others != 0 && os.PathSeparator == '/' {
		return Key{}, fmt.Errorf("the key %q can be read by others (mode %04o): run chmod 600 on it", path, info.Mode().Perm())
	}
	master, err := os.ReadFile(path)
	for began := time.Now(); err == nil && len(master) == 0 && time.Since(began) < creationTime; time.Sleep(creationTime / 100) {
		master, err = os.ReadFile(path) // Another server has just created it.
	}
	if err != nil {
		return Key{}, fmt.Errorf("open the key: %w", err)
	}
	if len(master) != keySize {
		return Key{}, fmt.Errorf("the key %q has %d bytes, want %d: restore it, or delete it and use -discard-secrets",
			path, len(master), keySize)
	}
	return Key{master}, nil
}

// Seal encrypts a secret. A value sealed for one purpose can't be opened for another, so that someone with write access to
// the data file can't give one user's secret to another.
func (k Key) Seal(purpose, secret string) []byte {
	var nonce [nonceSize]byte
	_, _ = rand.Read(nonce[:]) // It never fails.
	return secretbox.Seal(nonce[:], []byte(secret), &nonce, k.derived(purpose))
}

// Open decrypts a value that Seal returned for the same purpose; otherwise, the error is errUnreadable.
func (k Key) Open(purpose string, sealed []byte) (string, error) {
	if len(sealed) < nonceSize {
		return "", errUnreadable
	}
	secret, ok := secretbox.Open(nil, sealed[nonceSize:], (*[nonceSize]byte)(sealed), k.derived(purpose))
	if !ok {
		return "", errUnreadable
	}
	return string(secret), nil
}

// Text returns a text of 26 characters for a purpose, which only the owner of the key knows.
func (k Key) Text(purpose string) string {
	return base32.StdEncoding.EncodeToString(k.derived(purpose)[:])[:26]
}

// derived returns the key for a purpose.
func (k Key) derived(purpose string) *[keySize]byte {
	derived, err := hkdf.Key(sha256.New, k.master, nil, purpose, keySize)
	if err != nil {
		panic(err) // Only for keys that are far longer.
	}
	return (*[keySize]byte)(derived)
}
