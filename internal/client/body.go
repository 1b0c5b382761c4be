package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxBody is far above the size of any list of a hundred deployments.
const maxBody = 64 << 20

// readBody reads the whole body, so that the connection can be reused.
func readBody(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(body)) > limit {
		return nil, errTooLong
	}
	return body, err
}

// decode distinguishes a truncated body, which a proxy can cause without breaking HTTP, from an invalid one.
func decode(body []byte, out any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	err := decoder.Decode(out)
	switch {
	case err == nil && !utf8.Valid(body): // Invalid bytes would be replaced with other characters.
		return errors.New("the response is not UTF-8")
	case err == nil && len(bytes.TrimSpace(body[decoder.InputOffset():])) > 0: // Such as a late error.
		return errors.New("the response is not the expected JSON: something follows it")
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errBrokenOff
	case errors.Is(err, io.EOF):
		return errors.New("the response is empty")
	default:
		return unexpected(err)
	}
}

var stringOrFraction = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?\d+\.\d+(?:[eE][+-]?\d+)?`)

// withIntegers returns JSON in which whole numbers have no fraction: some services answer 2.0 for the integer 2.
func withIntegers(body []byte) []byte {
	return stringOrFraction.ReplaceAllFunc(body, func(token []byte) []byte {
		whole, fraction, _ := bytes.Cut(token, []byte("."))
		if token[0] == '"' || len(bytes.Trim(fraction, "0")) > 0 {
			return token
		}
		return whole
	})
}

// unexpected is the error of JSON that has another form. It doesn't name types of Go, which say nothing to users.
func unexpected(err error) error {
	other, typed := errors.AsType[*json.UnmarshalTypeError](err)
	if !typed {
		return fmt.Errorf("the response is not the expected JSON: %w", err)
	}
	is, number, _ := strings.Cut(other.Value, " ")
	is, want := withArticle(is), withArticle(typeInJSON(other.Type))
	if is == want && number != "" {
		is, want = number, "a whole number"
	}
	return fmt.Errorf("the response is not the expected JSON: %s is %s, not %s", cmp.Or(other.Field, "it"), is, want)
}

func withArticle(noun string) string {
	if noun == "object" || noun == "array" {
		return "an " + noun
	}
	return "a " + noun
}

// typeInJSON is the type in JSON that a type of Go is read from.
func typeInJSON(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeInJSON(t.Elem())
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	default:
		return "number"
	}
}

var (
	errBrokenOff = errors.New("the response broke off")
	errTooLong   = fmt.Errorf("the response is longer than %d MiB", maxBody>>20)
)
