package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// RunContentError says that a run was sent, but not with all that it was given, because a value is not what the service
// takes. What could be kept was sent as it was.
type RunContentError struct {
	RunID    uuid.UUID
	Problems []error
}

func (e *RunContentError) Error() string {
	problems := make([]string, len(e.Problems))
	for i, problem := range e.Problems {
		problems[i] = problem.Error()
	}
	return fmt.Sprintf("run %s was logged, but %s", e.RunID, strings.Join(problems, "; "))
}

// Unwrap gives the problems to errors.Is and errors.As.
func (e *RunContentError) Unwrap() []error { return e.Problems }

// keptUnder are the members that the values of a side are kept under when they aren't an object, as other clients do it.
var keptUnder = map[message.Side]string{message.Inputs: "input", message.Outputs: "outputs"}

// NewToken says that a token has arrived; now where at is zero. The service computes the time to the first token from the
// first of these events, so that further ones are not even kept.
func (t *RunTree) NewToken(at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.ContainsFunc(t.events, func(e api.RunEvent) bool { return e.Name == llmrun.EventNewToken }) {
		t.addEvent(llmrun.EventNewToken, at)
	}
}

// AddEvent says that something has happened; now where at is zero.
func (t *RunTree) AddEvent(name string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.addEvent(name, at)
}

func (t *RunTree) addEvent(name string, at time.Time) {
	t.events = append(t.events, api.RunEvent{Name: name, Time: timestamp.Format(t.orNow(at))})
}

// AddTags adds those that the run doesn't have.
func (t *RunTree) AddTags(tags ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, tag := range tags {
		if !slices.Contains(t.tags, tag) {
			t.tags = append(t.tags, tag)
		}
	}
}

// AddMetadata adds to the metadata of the run, or replaces what it has under the same keys.
func (t *RunTree) AddMetadata(metadata map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		value, err := json.Marshal(metadata[key])
		if err != nil {
			t.report(fmt.Errorf("its metadata %q can't be written as JSON and was left out: %w", key, err))
			continue
		}
		t.mu.Lock()
		t.metadata[key] = value
		t.mu.Unlock()
	}
}

// End says what came out of the run, and that it is over; now where at is zero. A failure that isn't empty makes it a run
// with an error. Patch sends it. The last of several ends counts.
func (t *RunTree) End(outputs json.RawMessage, failure string, at time.Time) {
	outputs = t.logged(message.Outputs, outputs)

	t.mu.Lock()
	defer t.mu.Unlock()
	t.outputs, t.failure, t.endTime = outputs, failure, timestamp.Format(t.orNow(at))
}

func (t *RunTree) orNow(at time.Time) time.Time {
	if at.IsZero() {
		return t.client.cfg.Now()
	}
	return at
}

// logged are values as the service takes them: an object, or nothing.
func (t *RunTree) logged(side message.Side, values json.RawMessage) json.RawMessage {
	values = bytes.TrimSpace(values)
	if !json.Valid(values) || !utf8.Valid(values) {
		if len(values) == 0 {
			return nil
		}
		t.report(fmt.Errorf("its %s are not JSON and were logged as a text", side))
		values = encoded(string(values))
	}
	if string(values) == "null" {
		return nil
	}
	if values[0] != '{' {
		return encoded(map[string]json.RawMessage{keptUnder[side]: values})
	}
	return bytes.Clone(values)
}

// setExtra takes over what the run was configured with.
func (t *RunTree) setExtra(extra json.RawMessage) {
	if len(extra) == 0 {
		return
	}
	members, metadata := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if err := json.Unmarshal(extra, &members); err != nil {
		t.report(fmt.Errorf("its extra is not an object and was left out: %w", err))
	}
	if given, ok := members["metadata"]; ok {
		if err := json.Unmarshal(given, &metadata); err != nil {
			t.report(fmt.Errorf("the metadata in its extra is not an object and was left out: %w", err))
		}
		delete(members, "metadata")
	}
	maps.Copy(t.extra, members) // Of null, nothing.
	maps.Copy(t.metadata, metadata)
}

// report keeps a problem until the run has been sent.
func (t *RunTree) report(problem error) {
	if problem == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.problems = append(t.problems, problem)
}

// encoded is for values that can always be encoded.
func encoded(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
