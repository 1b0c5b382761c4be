package web

import (
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// A page as JSON is its view: members have the names of the fields, in lower case with underscores. Times are in RFC 3339,
// durations in seconds, and unknown values are null. The frame is omitted.

// WriteJSON writes a page as JSON.
func WriteJSON(w io.Writer, v View) error { return writeJSON(w, v) }

func writeJSON(w io.Writer, view any) error {
	// Neither indented nor validated: logged data may be deeply nested and contain duplicate names.
	e := jsontext.NewEncoder(w, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return encode(e, reflect.ValueOf(view))
}

var frameType = reflect.TypeFor[Frame]()

func encode(e *jsontext.Encoder, v reflect.Value) error {
	switch value := v.Interface().(type) {
	case time.Time:
		if !known(value) {
			return e.WriteToken(jsontext.Null)
		}
		return e.WriteToken(jsontext.String(value.UTC().Format(time.RFC3339Nano)))
	case time.Duration:
		return e.WriteToken(jsontext.Float(value.Seconds()))
	case json.RawMessage:
		if value == nil {
			return e.WriteToken(jsontext.Null)
		}
		return e.WriteValue(jsontext.Value(value))
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return e.WriteToken(jsontext.Null)
		}
		return encode(e, v.Elem())
	case reflect.Struct:
		if err := e.WriteToken(jsontext.BeginObject); err != nil {
			return err
		}
		if err := encodeFields(e, v); err != nil {
			return err
		}
		return e.WriteToken(jsontext.EndObject)
	case reflect.Slice:
		if err := e.WriteToken(jsontext.BeginArray); err != nil {
			return err
		}
		for i := range v.Len() {
			if err := encode(e, v.Index(i)); err != nil {
				return err
			}
		}
		return e.WriteToken(jsontext.EndArray)
	default:
		return e.WriteToken(scalar(v))
	}
}

// encodeFields encodes the members of an object. Fields of embedded structs become members of the same object.
func encodeFields(e *jsontext.Encoder, v reflect.Value) error {
	for field, value := range v.Fields() {
		switch {
		case field.Type == frameType:
			continue
		case field.Anonymous:
			if err := encodeFields(e, value); err != nil {
				return err
			}
			continue
		}
		if err := e.WriteToken(jsontext.String(memberName(field.Name))); err != nil {
			return err
		}
		if err := encode(e, value); err != nil {
			return err
		}
	}
	return nil
}

func scalar(v reflect.Value) jsontext.Token {
	switch {
	case v.Kind() == reflect.Bool:
		return jsontext.Bool(v.Bool())
	case v.CanInt():
		return jsontext.Int(v.Int())
	default:
		return jsontext.String(v.String())
	}
}

// memberName returns the name of a field in lower case, with an underscore before each word: trace_id for TraceID.
func memberName(field string) string {
	var b strings.Builder
	runes := []rune(field)
	for i, r := range runes {
		begins := i > 0 && unicode.IsUpper(r) &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if begins {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
