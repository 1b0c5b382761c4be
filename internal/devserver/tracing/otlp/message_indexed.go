package otlp

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	common "go.opentelemetry.io/proto/slim/otlp/common/v1"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// indexed reads messages with an attribute for each field: PREFIX.NUMBER.FIELD. A system prompt that is a parameter of the call
// is added if the first message is another.
func (a attributes) indexed(prefix string, side document.Side, system json.RawMessage) json.RawMessage {
	entries := a.entries(prefix)
	if entries == nil {
		return nil
	}
	if entries[0].peek("role", "message.role") == document.RoleSystem {
		system = nil
	}
	messages := make([]json.RawMessage, len(entries))
	for i, fields := range entries {
		messages[i] = fields.object(pathLevels)
	}
	o := rawjson.Of(llmMessages[side], rawjson.EncodeArray(messages)).WithRaw(systemInstructions, system)
	return normal(o, llmMessages[side], side)
}

// pathLevels is the number of levels in the names of attributes that become objects. Conventions have at most six.
const pathLevels = 8

// object returns attributes whose names are paths as objects, and as lists where the names are numbers.
func (a attributes) object(levels int) json.RawMessage {
	members, inner := make(rawjson.Members, len(a)), map[string]attributes{}
	for key, value := range a {
		name, rest, deeper := strings.Cut(key, ".")
		if !deeper || levels == 0 {
			members[key] = fieldOf(key, value)
			continue
		}
		if inner[name] == nil {
			inner[name] = attributes{}
		}
		inner[name][rest] = value
	}
	for name, fields := range inner {
		if members[name] == nil {
			members[name] = fields.object(levels - 1)
		}
	}
	return listOr(members)
}

// listOr returns members as a list if all their names are numbers, and otherwise as an object.
func listOr(members rawjson.Members) json.RawMessage {
	numbers := make([]int, 0, len(members))
	for name := range members {
		number, err := strconv.Atoi(name)
		if err != nil || strconv.Itoa(number) != name {
			return rawjson.Object(nil).WithAll(members).Encode()
		}
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	list := make([]json.RawMessage, len(numbers))
	for i, number := range numbers {
		list[i] = members[strconv.Itoa(number)]
	}
	return rawjson.EncodeArray(list)
}

// fieldOf returns the field of a message. Parts and calls may be JSON in a string; any other text is unchanged.
func fieldOf(name string, value *common.AnyValue) json.RawMessage {
	payload := payloadOf(value)
	list, is := rawjson.ReadArray(payload)
	switch {
	case name == "content" && is && len(list) > 0 && allTyped(list), name == "tool_calls" && is:
		return payload
	}
	if text, is := textOf(value); is {
		return rawjson.Quote(text)
	}
	return jsonOf(value)
}

// allTyped reports whether all values are parts of a message: objects with a type.
func allTyped(list []json.RawMessage) bool {
	for _, raw := range list {
		o, _ := rawjson.ReadObject(raw)
		if _, typed := o.Text("type"); !typed {
			return false
		}
	}
	return true
}
