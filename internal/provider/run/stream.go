package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// stream is what a recorded stream contains about a run.
type stream struct {
	outputs json.RawMessage
	// first and last are the arrival times of the first and the last chunk, since the start of the run.
	first, last time.Duration
}

// readStream reads a list of {"time","chunk"}. The start is nil while it is unknown; times that aren't durations require
// it.
func readStream(text string, start *time.Time) (stream, error) {
	var entries []struct {
		Time  json.RawMessage `json:"time"`
		Chunk json.RawMessage `json:"chunk"`
	}
	if err := json.Unmarshal([]byte(text), &entries); err != nil {
		return stream{}, fmt.Errorf(`write it as a list of {"time": "350ms", "chunk": {…}}: %w`, err)
	}
	var s stream
	chunks := make([]json.RawMessage, len(entries))
	for i, entry := range entries {
		after, err := sinceStart(entry.Time, start)
		switch {
		case err != nil:
			return stream{}, fmt.Errorf("entry %d: %w", i, err)
		case entry.Chunk == nil:
			return stream{}, fmt.Errorf("entry %d has no chunk", i)
		case after < s.last:
			return stream{}, fmt.Errorf("entry %d arrived after %s, before its predecessor or the start of the run: sort "+
				"the chunks by their arrival", i, after)
		case i == 0:
			s.first = after
		}
		s.last, chunks[i] = after, entry.Chunk
	}
	format := message.StreamFormat(chunks)
	if format == document.FormatUnrecognized {
		return stream{}, fmt.Errorf("none of the %d chunks has a known stream format: %v", len(chunks), message.StreamFormats())
	}
	var err error
	s.outputs, err = message.Reduce(format, chunks)
	return s, err
}

var errNoStart = errors.New(`its time is not a duration since the start of the run, such as "350ms": also set start_time`)

// sinceStart reads the time of a chunk: a duration since the start of the run, or an absolute time.
func sinceStart(raw json.RawMessage, start *time.Time) (time.Duration, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if after, err := time.ParseDuration(text); err == nil {
			return after, nil
		}
	}
	if raw == nil {
		return 0, errors.New("it has no time")
	}
	at, err := timestamp.Read(raw)
	switch {
	case err != nil:
		return 0, err
	case start == nil:
		return 0, errNoStart
	default:
		return at.Sub(*start), nil
	}
}
