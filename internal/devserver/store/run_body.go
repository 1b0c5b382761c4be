package store

import (
	"bytes"
	"database/sql/driver"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/s2"
	engine "modernc.org/sqlite"
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
const minPacked, maxPacked = 64, 16 << 20

// packed returns a body as it is stored: compressed if that makes it smaller.
func packed(body []byte) []byte {
	if len(body) < minPacked || len(body) > maxPacked {
		return body
	}
	small := append([]byte{bodyDictionaryNumber}, bodyDict().Encode(nil, body)...)
	if len(small) >= len(body) {
		return body
	}
	return small
}

// unpacked returns the original body.
func unpacked(stored []byte) ([]byte, error) {
	if len(stored) == 0 || stored[0] != bodyDictionaryNumber {
		return stored, nil
	}
	body, err := bodyDict().Decode(nil, stored[1:])
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
	body, err := bodyOf(value)
	*c.to = bytes.Clone(body) // The driver reuses its memory.
	return err
}

// maxJSONDepth is the nesting of JSON that SQLite can read. Anything deeper would fail the whole query.
const maxJSONDepth = 1000

// registerBodies registers SQL functions on bodies: says(post, patch, texts, all) says whether their values contain any
// text of a JSON list, or all of them, and said(body, name) returns the JSON of a member, or null if there is none that
// SQLite can read.
var registerBodies = sync.OnceValue(func() error {
	return errors.Join(
		engine.RegisterDeterministicScalarFunction("says", 4, func(_ *engine.FunctionContext, args []driver.Value) (driver.Value, error) {
			post, err := bodyOf(args[0])
			patch, unreadable := bodyOf(args[1])
			list, isText := args[2].(string)
			var texts []string
			if err := errors.Join(err, unreadable, json.Unmarshal([]byte(list), &texts)); err != nil || !isText {
				return nil, fmt.Errorf("says takes two bodies and a list: %w", err)
			}
			return says(texts, args[3] == int64(1), post, patch), nil
		}),
		engine.RegisterDeterministicScalarFunction("said", 2, func(_ *engine.FunctionContext, args []driver.Value) (driver.Value, error) {
			body, err := bodyOf(args[0])
			name, isText := args[1].(string)
			if err != nil || !isText {
				return nil, fmt.Errorf("said takes a body and a name: %w", err)
			}
			return said(body, name)
		}),
	)
})

// bodyOf returns the body in a column.
func bodyOf(column driver.Value) ([]byte, error) {
	stored, isBlob := column.([]byte)
	if !isBlob {
		return nil, fmt.Errorf("a body is stored as %T, want a blob", column)
	}
	return unpacked(stored)
}

// said returns the JSON of a member of an object.
func said(body []byte, name string) (driver.Value, error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := decoder.ReadToken(); err != nil {
		return nil, err
	}
	for decoder.PeekKind() == '"' {
		member, err := decoder.ReadToken()
		if err != nil {
			return nil, err
		}
		if member.String() != name {
			if err := decoder.SkipValue(); err != nil {
				return nil, err
			}
			continue
		}
		value, err := decoder.ReadValue()
		if err != nil || nesting(value) > maxJSONDepth {
			return nil, err
		}
		return string(value), nil
	}
	_, err := decoder.ReadToken() // The end, or an error at that position.
	return nil, err
}

// nesting returns how deep a document is nested.
func nesting(document []byte) (deepest int) {
	depth := 0
	for i := 0; i < len(document); i++ {
		switch document[i] {
		case '"':
			i = endOfString(document, i) - 1
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth--
		}
	}
	return deepest
}
