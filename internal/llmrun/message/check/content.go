package check

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Content reports messages of which nothing was read, although they have a text that could be their content, and answers without
// content that have such a text beside their messages. Parts that providers don't say in words, such as sources, are no such texts.
func (v *Checker) Content(d *document.Document) {
	var found unread
	silent := d.Side == document.Outputs
	for i := range d.Messages {
		m := &d.Messages[i]
		for _, b := range m.Content {
			isAddress := b.Base64 != nil && strings.Contains(*b.Base64, "://") // A gateway has addresses in its place.
			if b.Base64 != nil && !isAddress && strings.ContainsFunc(*b.Base64, isNotBase64) {
				found = append(found, unreadText{value: rawjson.Quote(*b.Base64)})
			}
		}
		if m.ToolCallID != nil || slices.ContainsFunc(m.Content, isKnown) {
			silent = false
			continue
		}
		found.add(m.Extras, func(key string) bool { return !isLabel(key) })
		for _, key := range []string{envelope.ChoiceKey, envelope.GenerationKey, "candidate"} {
			beside, _ := rawjson.ReadObject(m.Extras[key])
			found.add(beside.Rest(), isAnswer)
		}
		for _, b := range m.Content {
			if said := unlabeled(b.Extras); len(said) == 1 {
				found.add(said, func(string) bool { return true })
			}
		}
	}
	if silent {
		found.add(d.Extras, isAnswer)
	}
	if len(found) == 0 {
		return
	}
	found.locate(d.Source, "", searchedDepth)
	reported := func(at string) bool {
		return slices.ContainsFunc(v.Problems, func(p document.Problem) bool { return p.Pointer == at })
	}
	for _, text := range found {
		if reported(text.at) {
			continue // By a rule of the format, which knows where it belongs.
		}
		if text.key == "" {
			v.Add(text.at, document.RuleMediaSource, "the data of media is not base64", "encode it as base64, or write where it is as a URL")
			continue
		}
		v.Add(text.at, document.RuleContentUnknown, "nothing was read as content, but "+rawjson.Name(text.key)+" has a text",
			"write the text as content, in the form of the format "+string(d.Format))
	}
}

// unread are texts that weren't read, in document order.
type unread []unreadText

type unreadText struct {
	key   string // empty for data, which any member may have
	value json.RawMessage
	at    string
}

// isNotBase64 reports whether a character doesn't occur in base64, in either alphabet, with line breaks.
func isNotBase64(r rune) bool {
	isLetter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	return !isLetter && !strings.ContainsRune("+/-_=\r\n", r)
}

// add adds the texts among the extras whose keys are those of content.
func (u *unread) add(extras document.Extras, isContent func(key string) bool) {
	for _, key := range slices.Sorted(maps.Keys(extras)) {
		if text, ok := rawjson.ReadString(extras[key]); ok && text != "" && isContent(key) && len(*u) <= document.MaxListed {
			*u = append(*u, unreadText{key: key, value: extras[key]})
		}
	}
}

// searchedDepth is how deep parts of messages are in documents, with the wrappers of clients.
const searchedDepth = 10

// locate finds the pointers of the texts in one pass.
func (u unread) locate(raw json.RawMessage, at string, depth int) {
	if depth == 0 {
		return
	}
	o, _ := rawjson.ReadObject(raw)
	for _, m := range o {
		at := at + rawjson.Pointer(m.Key)
		for i := range u {
			// Data may be in a data URL.
			if text := &u[i]; text.at == "" && (text.key == m.Key && bytes.Equal(text.value, m.Value) || text.key == "" && bytes.HasSuffix(m.Value, text.value[1:])) {
				text.at = at
				break
			}
		}
		u.locate(m.Value, at, depth-1)
	}
	list, _ := rawjson.ReadArray(raw)
	for i, raw := range list {
		u.locate(raw, at+rawjson.Pointer(i), depth-1)
	}
}

// BlockTypes are the block types of the normal form.
var BlockTypes = []string{
	document.BlockText, document.BlockReasoning, document.BlockImage, document.BlockFile, document.BlockAudio, document.BlockVideo,
	document.BlockToolCall, document.BlockServerToolCall, document.BlockServerToolResult,
}

func isKnown(b document.Block) bool { return slices.Contains(BlockTypes, b.Type) }

// labels are the ends of keys whose texts describe something instead of saying it.
var labels = []string{
	"id", "name", "type", "role", "reason", "model", "object", "status", "kind", "version", "_at", "_by", "signature", "fingerprint", "tier",
	"title", "label", "url", "uri", "channel", "phase", "recipient", "encrypted_content", "timestamp", "created", "sender", "tool",
	"description", "icon",
}

func isLabel(key string) bool {
	if strings.HasSuffix(key, "At") {
		return true
	}
	key = strings.ToLower(key)
	return slices.ContainsFunc(labels, func(end string) bool { return strings.HasSuffix(key, end) })
}

// unlabeled returns the members of a part that aren't labels.
func unlabeled(extras document.Extras) document.Extras {
	said := maps.Clone(extras)
	maps.DeleteFunc(said, func(key string, _ json.RawMessage) bool { return isLabel(key) })
	return said
}

// isAnswer reports whether a member beside messages, where settings and measures are as well, has an answer.
func isAnswer(key string) bool {
	return slices.Contains([]string{"output_text", "text", "output", "content", "completion", "answer", "response", "result"}, key)
}
