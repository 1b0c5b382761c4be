package chunk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Members of a reduced answer.
const (
	// Error is the error that the stream reports.
	Error = "error"
	// Unreduced lists the chunks that aren't understood.
	Unreduced = "unreduced_chunks"
)

// endOfStream is sent by some services as the last chunk; it is neither JSON nor content.
const endOfStream = "[DONE]"

// Stream is the common part of the reducers.
type Stream struct {
	Answer     Partial
	understood int
	unreduced  []json.RawMessage
	// failure is the first error that the stream reports.
	failure json.RawMessage
}

// Open reads a chunk that is an object. If the chunk is a record of the server-sent event, {"event","data"}, or of an agent's
// event, {"type":"stream_event","event"}, it is the object in it.
func Open(chunk json.RawMessage) (rawjson.Object, bool) {
	if !valid(chunk) {
		return nil, false
	}
	o, ok := rawjson.ReadObject(chunk)
	inner := o.Get("data")
	if kind, _ := o.Text("type"); strings.HasSuffix(kind, "_event") && rawjson.IsObject(o.Get("event")) {
		inner = o.Get("event")
	} else if inner == nil || !strings.HasSuffix(kind, "_event") && len(o.Without("data", "event", "id", "retry")) > 0 {
		return o, ok
	}
	if text, isText := rawjson.ReadString(inner); isText {
		if inner = json.RawMessage(text); !valid(inner) {
			return o, ok
		}
	}
	if record, isObject := rawjson.ReadObject(inner); isObject {
		return record, true
	}
	return o, ok
}

// Indexed returns the objects of a list with their member index, or with their position.
func Indexed(list []json.RawMessage) iter.Seq2[int, rawjson.Object] {
	return func(yield func(int, rawjson.Object) bool) {
		for position, raw := range list {
			o, _ := rawjson.ReadObject(raw)
			i, ok := o.Index("index")
			if !ok {
				i = position
			}
			if !yield(i, o) {
				return
			}
		}
	}
}

func valid(data []byte) bool { return utf8.Valid(data) && json.Valid(data) }

// Read passes the chunks that are objects to a function that says whether it has used one, and keeps the others, as
// strings if they aren't JSON.
func (s *Stream) Read(chunks []json.RawMessage, add func(rawjson.Object) bool) {
	for _, chunk := range chunks {
		if string(bytes.TrimSpace(chunk)) == endOfStream {
			continue
		}
		if o, ok := Open(chunk); ok && add(o) {
			s.understood++
			continue
		}
		if !valid(chunk) {
			chunk = rawjson.Quote(string(chunk))
		}
		s.unreduced = append(s.unreduced, chunk)
	}
}

// Understood reports whether any chunk was used.
func (s *Stream) Understood() bool { return s.understood > 0 }

// Fail notes an error unless there was one.
func (s *Stream) Fail(failure json.RawMessage) bool {
	if failure == nil || s.failure != nil {
		return false
	}
	s.failure = failure
	return true
}

// Finish adds the error and the unused chunks to the answer.
func (s *Stream) Finish(format string) (json.RawMessage, error) {
	result := &s.Answer
	if before := result.Get(Error); s.failure != nil && (before == nil || rawjson.IsNull(before)) {
		result.Set(Error, s.failure) // Otherwise, the answer itself says why it failed.
	}
	if len(s.unreduced) > 0 {
		result.Set(Unreduced, rawjson.EncodeArray(s.unreduced))
	}
	if s.understood > 0 {
		return result.Encode(), nil
	}
	if len(s.unreduced) == 0 {
		return result.Encode(), errors.New("reducing " + format + ": there are no chunks; log the answer when the stream has ended")
	}
	return result.Encode(), fmt.Errorf("reducing %s: none of the %d chunks has this format; choose the format of the stream", format, len(s.unreduced))
}
