package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Members of a reduced answer.
const (
	keyUnreduced = "unreduced_chunks"
	// endOfStream is sent by some services as the last chunk; it is neither JSON nor content.
	endOfStream = "[DONE]"
)

// Reduce combines the chunks of a streamed answer into the shape of the same answer without streaming.
//
// It accepts streams as they arrive: pieces of several choices, blocks or items in any order, and truncated streams, which
// result in what has arrived. An error that the stream reports is the member "error" of the result. Chunks that can't be
// interpreted are collected in the list "unreduced_chunks" of the result; one that isn't JSON is a string there. Only a
// stream without any interpretable chunk is an error, and even then the result contains these chunks.
func Reduce(format Format, chunks []json.RawMessage) (json.RawMessage, error) {
	switch format {
	case FormatChatCompletions:
		return reduceChat(chunks)
	case FormatMessages:
		return reduceMessages(chunks)
	case FormatResponses:
		return reduceResponses(chunks)
	default:
		return nil, fmt.Errorf("reducing %s: not a stream format; choose chat_completions, messages or responses", rawjson.Name(string(format)))
	}
}

// StreamFormat returns the format of a stream according to the first chunk that determines it, FormatUnrecognized if none
// does.
func StreamFormat(chunks []json.RawMessage) Format {
	for _, chunk := range chunks {
		if !isJSON(chunk) {
			continue
		}
		o, _ := rawjson.ReadObject(chunk)
		kind, _ := o.Text("type")
		switch {
		case rawjson.IsArray(o.Get("choices")):
			return FormatChatCompletions
		case strings.HasPrefix(kind, "response."):
			return FormatResponses
		case strings.HasPrefix(kind, "message_") || strings.HasPrefix(kind, "content_block_"):
			return FormatMessages
		}
	}
	return FormatUnrecognized
}

func isJSON(data []byte) bool { return utf8.Valid(data) && json.Valid(data) }

// stream is the common part of the reducers.
type stream struct {
	understood int
	unreduced  []json.RawMessage
	// failure is the first error that the stream reports.
	failure json.RawMessage
}

// read passes the chunks that are objects to a function that says whether it has used one, and keeps the others.
func (s *stream) read(chunks []json.RawMessage, add func(rawjson.Object) bool) {
	for _, chunk := range chunks {
		if string(bytes.TrimSpace(chunk)) == endOfStream {
			continue
		}
		var o rawjson.Object
		ok := isJSON(chunk)
		if ok {
			o, ok = rawjson.ReadObject(chunk)
		}
		if ok && add(o) {
			s.understood++
		} else {
			s.keep(chunk)
		}
	}
}

// keep keeps a chunk, as a string if it isn't JSON.
func (s *stream) keep(chunk json.RawMessage) {
	if !isJSON(chunk) {
		chunk = rawjson.Quote(string(chunk))
	}
	s.unreduced = append(s.unreduced, chunk)
}

// fail notes an error unless there was one.
func (s *stream) fail(failure json.RawMessage) bool {
	if failure == nil || s.failure != nil {
		return false
	}
	s.failure = failure
	return true
}

// finish adds the error and the unused chunks to a result.
func (s *stream) finish(format Format, result *partial) (json.RawMessage, error) {
	if s.failure != nil {
		result.set(keyError, s.failure)
	}
	if len(s.unreduced) > 0 {
		result.set(keyUnreduced, rawjson.EncodeArray(s.unreduced))
	}
	if s.understood > 0 {
		return result.encode(), nil
	}
	if len(s.unreduced) == 0 {
		return result.encode(), errors.New("reducing " + string(format) + ": there are no chunks; log the answer when the stream has ended")
	}
	return result.encode(), fmt.Errorf("reducing %s: none of the %d chunks has this format; choose the format of the stream", format, len(s.unreduced))
}

// partial is an object that arrives in pieces.
type partial struct{ entries []entry }

// entry is a member: a value, or a string or list that grows.
type entry struct {
	key   string
	value json.RawMessage
	// text is the string between the quotes, including escapes, so that a surrogate pair may be split between chunks.
	text []byte
	list []json.RawMessage
}

func newPartial(o rawjson.Object) *partial {
	p := &partial{}
	for _, m := range o {
		p.set(m.Key, m.Value)
	}
	return p
}

func (p *partial) entry(key string) *entry {
	for i := range p.entries {
		if p.entries[i].key == key {
			return &p.entries[i]
		}
	}
	return nil
}

func (p *partial) make(key string) *entry {
	if e := p.entry(key); e != nil {
		return e
	}
	p.entries = append(p.entries, entry{key: key})
	return &p.entries[len(p.entries)-1]
}

// set replaces a value, but never with null.
func (p *partial) set(key string, value json.RawMessage) {
	if e := p.make(key); e.get() == nil || !rawjson.IsNull(value) {
		*e = entry{key: key, value: value}
	}
}

// add sets all members of an object but some.
func (p *partial) add(o rawjson.Object, but ...string) {
	for _, m := range o {
		if !slices.Contains(but, m.Key) {
			p.set(m.Key, m.Value)
		}
	}
}

// setAll sets the current members of another object.
func (p *partial) setAll(entries []entry) {
	for i := range entries {
		p.set(entries[i].key, entries[i].get())
	}
}

// grow appends to a string. It refuses anything else.
func (p *partial) grow(key string, piece json.RawMessage) bool {
	piece = bytes.TrimSpace(piece)
	if !rawjson.IsString(piece) {
		return false
	}
	e := p.make(key)
	if e.text == nil {
		e.text = []byte{}
		if before := bytes.TrimSpace(e.value); rawjson.IsString(before) {
			e.text = append(e.text, before[1:len(before)-1]...)
		}
		e.value, e.list = nil, nil
	}
	e.text = append(e.text, piece[1:len(piece)-1]...)
	return true
}

// extend appends to a list.
func (p *partial) extend(key string, values ...json.RawMessage) {
	e := p.make(key)
	if e.list == nil {
		e.list, _ = rawjson.ReadArray(e.value)
		e.value, e.text = nil, nil
	}
	e.list = append(e.list, values...)
}

func (e *entry) get() json.RawMessage {
	switch {
	case e.text != nil:
		return append(append(append(make([]byte, 0, len(e.text)+2), '"'), e.text...), '"')
	case e.list != nil:
		return rawjson.EncodeArray(e.list)
	default:
		return e.value
	}
}

// get returns the value of a key, nil if there is none.
func (p *partial) get(key string) json.RawMessage {
	if e := p.entry(key); e != nil {
		return e.get()
	}
	return nil
}

func (p *partial) encode() json.RawMessage {
	o := make(rawjson.Object, 0, len(p.entries))
	for i := range p.entries {
		if value := p.entries[i].get(); value != nil {
			o = append(o, rawjson.Member{Key: p.entries[i].key, Value: value})
		}
	}
	return o.Encode()
}

// series is a list whose elements have an index and arrive in any order. An index can be any number, so it doesn't
// determine allocations.
type series map[int]*partial

// at returns the element of an index, created with some members if there is none yet.
func (s series) at(i int, members ...rawjson.Member) *partial {
	if s[i] == nil {
		s[i] = newPartial(members)
	}
	return s[i]
}

func (s series) encode() json.RawMessage {
	list := make([]json.RawMessage, 0, len(s))
	for _, i := range slices.Sorted(maps.Keys(s)) {
		list = append(list, s[i].encode())
	}
	return rawjson.EncodeArray(list)
}

// load fills the series with a list of objects.
func (s series) load(raw json.RawMessage) {
	list, _ := rawjson.ReadArray(raw)
	for i, raw := range list {
		if o, ok := rawjson.ReadObject(raw); ok {
			s[i] = newPartial(o)
		}
	}
}
