package store

import (
	"bytes"
	"database/sql/driver"
	_ "embed"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/s2"
)

// RunBody contains what clients logged about a run, as JSON objects: the merged posts, and the merged patches, which take
// precedence.
type RunBody struct{ Post, Patch []byte }

//go:embed run_body_dictionary_1.txt
var bodyDictionary []byte

// bodyDictionaryNumber is the first byte of compressed bodies, which can't be the first byte of JSON. A body can only be
// read with the dictionary with which it was written: another dictionary needs another number and its own file.
const bodyDictionaryNumber = 1

// bodyDict is an S2 dictionary with frequent texts of bodies. S2 compresses a tenth less than zstd, but five times as fast,
// and all runs wait for the one transaction that writes.
var bodyDict = sync.OnceValue(func() *s2.Dict { return s2.MakeDict(bodyDictionary, nil) })

// minPacked and maxPacked are the sizes between which bodies are compressed: short ones gain nothing, and long ones need
// the same amount of memory again.
const minPacked, maxPacked = 64, 32 << 20

// Packed returns the body as it is stored. SaveRun takes it in either form: pack large bodies before a transaction.
func (b RunBody) Packed() RunBody { return RunBody{packed(b.Post), packed(b.Patch)} }

// Unpacked returns the JSON of a body as it is stored.
func (b RunBody) Unpacked() (RunBody, error) {
	post, err := unpacked(b.Post)
	patch, unreadable := unpacked(b.Patch)
	return RunBody{post, patch}, errors.Join(err, unreadable)
}

// packed returns a body as it is stored: compressed if that makes it smaller.
func packed(body []byte) []byte {
	if len(body) < minPacked || body[0] == bodyDictionaryNumber || len(body) > maxPacked {
		return body
	}
	small := append([]byte{bodyDictionaryNumber}, bodyDict().Encode(nil, body)...)
	if len(small) >= len(body) {
		return body
	}
	return small
}

func isPacked(stored []byte) bool { return len(stored) > 0 && stored[0] == bodyDictionaryNumber }

// unpacked returns the original body.
func unpacked(stored []byte) ([]byte, error) { return unpackedInto(nil, stored) }

// unpackedInto is unpacked with a buffer that it may use.
func unpackedInto(buffer, stored []byte) ([]byte, error) {
	if !isPacked(stored) {
		return stored, nil
	}
	body, err := bodyDict().Decode(buffer, stored[1:])
	if err != nil {
		return nil, fmt.Errorf("read the body of a run: %w", err)
	}
	return body, nil
}

func scanRunBody(row scanner) (RunBody, error) {
	var b RunBody
	err := row.Scan(packedColumn{&b.Post}, packedColumn{&b.Patch})
	return b, err
}

// packedColumn scans a column with a body.
type packedColumn struct{ to *[]byte }

func (c packedColumn) Scan(value any) error {
	stored, err := storedBody(value)
	if err != nil {
		return err
	}
	if !isPacked(stored) {
		*c.to = bytes.Clone(stored) // The driver reuses its memory.
		return nil
	}
	*c.to, err = unpacked(stored)
	return err
}

// bodyOf returns the body in a column.
func bodyOf(column driver.Value) ([]byte, error) {
	stored, err := storedBody(column)
	if err != nil {
		return nil, err
	}
	return unpacked(stored)
}

func storedBody(column driver.Value) ([]byte, error) {
	stored, isBlob := column.([]byte)
	if !isBlob {
		return nil, fmt.Errorf("a body is stored as %T, want a blob", column)
	}
	return stored, nil
}
