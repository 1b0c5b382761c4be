package message

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// grows has the strings that arrive in pieces, as the names of the object or list around them and of the member.
var grows = map[document.Format][]string{
	document.FormatChatCompletions: {
		"delta.content", "delta.refusal", "delta.reasoning_content", "choices.text", "function.arguments", "function_call.arguments", "thinking.text", "data.content",
		"data.arguments",
	},
	document.FormatMessages:  {"delta.text", "delta.thinking", "delta.partial_json"},
	document.FormatResponses: {".delta"},
	document.FormatGemini:    {"parts.text"},
	document.FormatConverse:  {"delta.text", "toolUse.input", "reasoningContent.text", "toolResult.text"},
	document.FormatAISDK:     {".delta", ".text", ".textDelta", ".inputTextDelta", ".argsTextDelta"},
	document.FormatCohere:    {"message.tool_plan", "content.text", "content.thinking", "function.arguments", ".text"},
	document.FormatFramework: {"delta.text", "delta.reasoning", "delta.args"},
	formatOllama:             {".response", ".thinking", "message.content", "message.thinking"},
}

// spot is a string in a chunk that arrives in pieces.
type spot struct {
	path []any
	text string
}

// growing finds the strings that arrive in pieces. Audio, whose pieces are base64 each, isn't text; half a surrogate pair
// can't be decoded.
func growing(t *testing.T, format document.Format, raw json.RawMessage) []spot {
	t.Helper()
	if strings.Contains(string(raw), "audio.delta") {
		return nil
	}
	var places []spot
	var walk func(value any, around string, path []any)
	walk = func(value any, around string, path []any) {
		switch value := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				here := append(slices.Clone(path), key)
				if text, ok := value[key].(string); ok && text != "" && !strings.ContainsRune(text, utf8.RuneError) && slices.Contains(grows[format], around+"."+key) {
					places = append(places, spot{here, text})
				}
				walk(value[key], key, here)
			}
		case []any:
			for i, v := range value {
				walk(v, around, append(slices.Clone(path), i))
			}
		}
	}
	walk(decode(t, raw), "", nil)
	return places
}

func decode(t *testing.T, raw json.RawMessage) any {
	t.Helper()
	var value any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	assert.Must(t, d.Decode(&value))
	return value
}

// with returns a chunk with another value in a place.
func with(t *testing.T, raw json.RawMessage, path []any, value any) json.RawMessage {
	t.Helper()
	root := decode(t, raw)
	at := root
	for i, step := range path {
		last := i == len(path)-1
		switch step := step.(type) {
		case string:
			if last {
				at.(map[string]any)[step] = value
			}
			at = at.(map[string]any)[step]
		case int:
			at = at.([]any)[step]
		}
	}
	changed, err := json.Marshal(root)
	assert.Must(t, err)
	return changed
}

// isCuttable reports whether a chunk may come twice with halves of a text, because nothing else in it adds up.
func isCuttable(t *testing.T, raw json.RawMessage) bool {
	t.Helper()
	cuttable := true
	var walk func(any)
	walk = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			cuttable = cuttable && value["logprobs"] == nil && value["annotations"] == nil
			for _, v := range value {
				walk(v)
			}
		case []any:
			cuttable = cuttable && len(value) < 2
			for _, v := range value {
				walk(v)
			}
		}
	}
	walk(decode(t, raw))
	return cuttable
}

// TestReduceCutAnywhere cuts the texts of every stream at random places: the answer stays the same.
func TestReduceCutAnywhere(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 14))
	cuts := map[document.Format]int{}
	for _, c := range reductions(t) {
		if strings.HasSuffix(c.name, "unknown_events") {
			continue // Events that are kept as they are.
		}
		places, answer := make([]*spot, len(c.chunks)), decoded(t, c.answer)
		for i, raw := range c.chunks {
			if found := growing(t, c.format, raw); len(found) == 1 && isCuttable(t, raw) {
				places[i] = &found[0]
			}
		}
		for range 20 {
			var chunks []json.RawMessage
			for i, raw := range c.chunks {
				chunks = append(chunks, raw)
				place := places[i]
				if place == nil || random.IntN(3) == 0 {
					continue
				}
				runes := []rune(place.text)
				at := random.IntN(len(runes) + 1)
				chunks[len(chunks)-1] = with(t, raw, place.path, string(runes[:at]))
				chunks = append(chunks, with(t, raw, place.path, string(runes[at:])))
				cuts[c.format]++
			}
			got, err := Reduce(c.format, chunks)
			assert.Must(t, err)
			if diff := cmp.Diff(answer, decoded(t, got)); diff != "" {
				t.Fatalf("%s, cut into %d chunks (-want +got):\n%s\n%s", c.name, len(chunks), diff, rawjson.EncodeArray(chunks))
			}
		}
	}
	for _, format := range streamed {
		if cuts[format] < 20 {
			t.Errorf("%d texts of %s were cut, want more", cuts[format], format)
		}
	}
}

// whole matches chunks that repeat what has arrived in pieces as a whole, which replaces them.
var whole = regexp.MustCompile(`"(type|event|event_type|eventType)":\s*"(tool-call|content-block-finish|tool-input-available|stream-end|tool-calls-generation|(response\.|conversation\.item\.).*(done|completed|failed|incomplete))"`)

// TestReduceLosesNothing puts values of any kind in the places of texts: all that they say is in the answer.
func TestReduceLosesNothing(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 59))
	for _, c := range reductions(t) {
		pieces := slices.DeleteFunc(slices.Clone(c.chunks), func(raw json.RawMessage) bool { return whole.Match(raw) })
		if len(pieces) == 0 {
			continue
		}
		places := make([][]spot, len(pieces))
		for i, raw := range pieces {
			places[i] = growing(t, c.format, raw)
		}
		for range 30 {
			chunks, said := slices.Clone(pieces), []string(nil)
			for i := range chunks {
				for _, place := range places[i] {
					mark := fmt.Sprintf("mark%d-%d.", i, len(said))
					said = append(said, mark)
					values := []any{
						mark, []any{mark}, []any{map[string]any{"type": "text", "text": mark}}, map[string]any{"type": "text", "text": mark}, map[string]any{"other": mark},
						[]any{map[string]any{"type": "image", "url": mark}, mark},
					}
					chunks[i] = with(t, chunks[i], place.path, values[random.IntN(len(values))])
				}
			}
			got, err := Reduce(c.format, chunks)
			assert.Must(t, err)
			for _, mark := range said {
				if !strings.Contains(string(got), mark) {
					t.Fatalf("%s: %s is missing:\n%s\nin\n%s", c.name, mark, rawjson.EncodeArray(chunks), got)
				}
			}
		}
	}
}

// damage replaces some values below a value by others of any kind, and leaves some members out.
func damage(random *rand.Rand, value any) any {
	if random.IntN(12) == 0 {
		return []any{7, "x", []any{7}, []any{"y", []any{1}}, map[string]any{}, nil, true, map[string]any{"content": 7, "parts": "z"}}[random.IntN(8)]
	}
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if isKind := slices.Contains([]string{"type", "event", "event_type"}, key); isKind {
				out[key] = value[key]
			} else if random.IntN(25) > 0 {
				out[key] = damage(random, value[key])
			}
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = damage(random, v)
		}
		return out
	default:
		return value
	}
}

// TestReduceDamaged reduces every stream with values that are of no kind that a service sends: the result must be JSON.
func TestReduceDamaged(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(77, 3))
	for _, c := range reductions(t) {
		intact := make([]any, len(c.chunks))
		for i, raw := range c.chunks {
			intact[i] = decode(t, raw)
		}
		for range 100 {
			chunks := make([]json.RawMessage, len(c.chunks))
			for i, value := range intact {
				chunks[i], _ = json.Marshal(damage(random, value))
			}
			if got, _ := Reduce(c.format, chunks); !isJSON(got) {
				t.Fatalf("%s: %s isn't JSON: %s", c.name, rawjson.EncodeArray(chunks), got)
			}
		}
	}
}
