package message

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/shape"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// keyRaw is the extra for the whole value of an unrecognized document.
const keyRaw = "raw"

// Normalize recognizes the format of one half of a run and reads it. It returns an error for data that isn't JSON; a value
// in an unknown format results in a Document with FormatUnrecognized that keeps it whole.
//
// The document shares memory with data, which therefore must not change.
func Normalize(data []byte, side document.Side) (*document.Document, error) {
	if err := checkJSON(data, side); err != nil {
		return nil, err
	}
	return normalize(data, side, side), nil
}

// NormalizeEither is Normalize for data that may be either half of a run: the side follows from the document's structure;
// it defaults to Inputs.
func NormalizeEither(data []byte) (*document.Document, error) {
	if err := checkJSON(data, document.Inputs); err != nil {
		return nil, err
	}
	guess := guessSide(data)
	return normalize(data, guess, document.Inputs+document.Outputs-guess), nil
}

// normalize reads a document as that of one side, or else of the other.
func normalize(data json.RawMessage, side, other document.Side) *document.Document {
	if unfolded := Unfold(data, side); unfolded != nil {
		if d := normalize(unfolded, side, other); d.Format != document.FormatUnrecognized {
			d.Source = data
			return d
		}
	}
	sources := []document.Source{document.NewSource(data, side)}
	if other != side {
		sources = append(sources, document.NewSource(data, other))
	}
	for _, read := range []func(document.Source) (*document.Document, bool){readWhole, readWrapped} {
		for _, src := range sources {
			if d, ok := read(src); ok {
				return d
			}
		}
	}
	return &document.Document{Format: document.FormatUnrecognized, Side: side, Source: data, Extras: document.Extras{keyRaw: data}}
}

// innerKeys are the keys under which clients put their whole input or output. An argument that is the only list can have any name.
var innerKeys = map[document.Side][]string{
	document.Inputs:  {"input", "inputs", "kwargs", "request", "body", "params", "modelInput", "stream_inputs"},
	document.Outputs: {"output", "outputs", "result", "response", "body", "modelOutput", "stream_outputs"},
}

// keyArgs is the key under which a client puts several arguments. The first is the query, the others are options.
const keyArgs = "args"

// wrapped finds a value that a client has wrapped under its own key.
func wrapped(src document.Source) (key string, inner document.Source, ok bool) {
	o, side := src.Object, src.Side
	if args, _ := rawjson.ReadArray(o.Get(keyArgs)); side == document.Inputs && len(args) > 0 && rawjson.IsObject(args[0]) {
		return keyArgs, document.NewSource(args[0], side), true
	}
	for _, key := range innerKeys[side] {
		if value := o.Get(key); rawjson.IsObject(value) || rawjson.IsArray(value) {
			return key, document.NewSource(o.Get(key), side), true
		}
	}
	lists := 0
	for _, m := range o {
		if rawjson.IsArray(m.Value) {
			key = m.Key
			lists++
		}
	}
	return key, document.NewSource(o.Get(key), side), lists == 1 && side == document.Inputs
}

// readWrapped reads a document that a client has wrapped under its own key, or a batch under two. The other members become extras.
func readWrapped(src document.Source) (*document.Document, bool) {
	key, inner, ok := wrapped(src)
	if !ok {
		return nil, false
	}
	d, ok := readWhole(inner)
	if !ok && inner.Object.Has("body") {
		d, ok = readWrapped(inner)
	}
	if !ok {
		return nil, false
	}
	extras := src.Object.Rest(key)
	if args, _ := rawjson.ReadArray(src.Object.Get(keyArgs)); key == keyArgs && len(args) > 1 {
		extras.Put(keyArgs, rawjson.EncodeArray(args[1:]))
	}
	document.AddBeside(&d.Extras, extras)
	if usage := d.Extras["usage_metadata"]; len(d.Messages) == 1 && d.Messages[0].UsageMetadata == nil && rawjson.IsObject(usage) {
		d.Messages[0].UsageMetadata, d.Extras = usage, d.Extras.Without("usage_metadata")
	}
	d.Shape, d.Source = key+"."+d.Shape, src.Raw
	origin, keys := d.Origin()
	d.SetOrigin(origin, append([]string{key}, keys...)...)
	return d, true
}

// Unfold returns what clients write in another form as it is without: a document that is the text of its JSON under a key of their own, and
// the chunks of a stream, which become the answer that they make up. It returns nil for anything else.
func Unfold(data json.RawMessage, side document.Side) json.RawMessage {
	list, isList := rawjson.ReadArray(data)
	if o, _ := rawjson.ReadObject(data); len(o) == 1 && slices.Contains(innerKeys[side], o[0].Key) {
		if text, ok := rawjson.ReadInner(o[0].Value); ok && (rawjson.IsObject(text) || rawjson.IsArray(text)) && json.Valid(text) {
			return rawjson.Of(o[0].Key, untagged(text)).Encode()
		}
		list, isList = rawjson.ReadArray(o[0].Value)
	}
	if first := list[:min(len(list), firstChunks)]; isList && side == document.Outputs && len(list) > 1 && !rawjson.AnyObject(first, isWholeAnswer) {
		if answer, err := Reduce(StreamFormat(first), list); err == nil {
			return answer
		}
	}
	return nil
}

// firstChunks is the number of chunks that are read to find the format of a stream.
const firstChunks = 3

// isWholeAnswer recognizes an answer that other formats have as chunks.
var isWholeAnswer = shape.Named("whole_answer")

// untagged returns an object with the names of members that JSON usually has, if it was written from a Go type without tags.
func untagged(text json.RawMessage) json.RawMessage {
	o, _ := rawjson.ReadObject(text)
	if !o.Has("Message") && !o.Has("Messages") {
		return text
	}
	for i := range o {
		o[i].Key = strings.ToLower(o[i].Key[:1]) + o[i].Key[1:]
	}
	return o.Encode()
}

// readWhole reads a document without a wrapper.
func readWhole(src document.Source) (*document.Document, bool) { return readAs(src, detect(src)) }

func readAs(src document.Source, name document.Format) (*document.Document, bool) {
	f := findFormat(name)
	if f == nil {
		return nil, false
	}
	d, ok := f.read(src)
	if ok {
		d.Source = src.Raw
		d.SetOrigin(src)
	}
	return d, ok
}

// checkJSON ensures what all in-place readers rely on.
func checkJSON(data []byte, side document.Side) error {
	if !utf8.Valid(data) {
		return fmt.Errorf("reading %s: not JSON: the text is not UTF-8; encode it as UTF-8", side)
	}
	if json.Valid(data) {
		return nil
	}
	var v json.RawMessage
	err := json.Unmarshal(data, &v)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("reading %s: not JSON at byte %d: %w; pass the JSON text of the run's %s", side, syntax.Offset, err, side)
	}
	return fmt.Errorf("reading %s: not JSON: %w", side, err)
}
