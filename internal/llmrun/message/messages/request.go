package messages

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/convert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

var request = convert.Request{
	Names: map[convert.Setting]string{
		convert.Tools: "tools", convert.ToolChoice: "tool_choice", convert.Parallel: "tool_choice/disable_parallel_tool_use",
		convert.MaxTokens: "max_tokens", convert.Stop: "stop_sequences", convert.ResponseFormat: "output_config/format",
	},
	Shape: shape,
}

// shape writes a setting. An input_schema is required, and answers always have the schema.
func shape(s convert.Setting, value json.RawMessage) (shaped json.RawMessage, dropped []string, reason string) {
	o, _ := rawjson.ReadObject(value)
	switch kind, _ := o.Text("type"); {
	case s == convert.Tools && kind == part.KeyFunction:
		schema := o.Get("parameters")
		if schema == nil {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		return rawjson.Object(nil).WithRaw("name", o.Get("name")).WithRaw("description", o.Get("description")).
			With("input_schema", schema).WithRaw("strict", o.Get("strict")).Encode(), nil, ""
	case s == convert.ToolChoice && kind == part.KeyFunction:
		return convert.OfType("tool").WithRaw("name", o.Get("name")).Encode(), nil, ""
	case s == convert.ToolChoice && rawjson.IsString(value):
		word, _ := rawjson.ReadString(value)
		if word == "required" {
			word = "any"
		}
		return convert.OfType(word).Encode(), nil, ""
	case s == convert.Tools, s == convert.ToolChoice:
		return nil, nil, "the format has no such tool or choice"
	case s == convert.Parallel:
		value = convert.Not(value)
	case s == convert.Stop && rawjson.IsString(value):
		value = rawjson.EncodeArray([]json.RawMessage{value})
	case s == convert.ResponseFormat:
		return shapeFormat(o, kind)
	}
	return value, nil, ""
}

// shapeFormat writes the format of an answer. Without it, an answer is text.
func shapeFormat(o rawjson.Object, kind string) (shaped json.RawMessage, dropped []string, reason string) {
	switch kind {
	case document.BlockText:
		return nil, nil, ""
	case "json_schema":
		for _, m := range o {
			if m.Key != "type" && m.Key != "schema" {
				dropped = append(dropped, m.Key)
			}
		}
		return convert.OfType(kind).WithRaw("schema", o.Get("schema")).Encode(), dropped, ""
	default:
		return nil, nil, "the format of an answer must be json_schema"
	}
}

// completeChoice completes a choice of tools that says only whether there may be several calls at once. If no tool may be called,
// that has no meaning, and the service refuses it.
func completeChoice(rest document.Extras) {
	o, ok := rawjson.ReadObject(rest["tool_choice"])
	switch kind, hasType := o.Text("type"); {
	case ok && kind == "none":
		rest.Put("tool_choice", convert.OfType(kind).Encode())
	case ok && !hasType:
		rest.Put("tool_choice", convert.OfType("auto").WithAll(o.Rest()).Encode())
	}
}
