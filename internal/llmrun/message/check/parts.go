package check

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/texttable"
)

// rule is what a member of a part must be: a string, unless something else is said.
type rule struct {
	key, rule string
	must      func(v *Checker, o rawjson.Object, key, at, rule string)
	// then validates the string.
	then func(v *Checker, text, at, role string)
}

//go:embed parts.txt
var partsText string

// parts are the rules for each type of part.
var parts = readParts(partsText)

// readParts reads the table, which explains itself.
func readParts(text string) map[string][]rule {
	all := map[string][]rule{}
	for words := range texttable.Rows(text) {
		for _, word := range words[1:] {
			w := append(strings.Split(word, ":"), "")
			all[words[0]] = append(all[words[0]], rule{w[0], w[1], musts[w[2]], thens[w[2]]})
		}
	}
	return all
}

// The kinds of members in the table: what they must be if it isn't a string, and what else their strings must be.
var (
	musts = map[string]func(v *Checker, o rawjson.Object, key, at, rule string){
		"text_or_list": textOrList, "nested": nestedText, "one_of": oneOf, "object": (*Checker).Object, "blocks": blocks, "optional": optional,
	}
	thens = map[string]func(v *Checker, text, at, role string){
		"call": (*Checker).Call, "client_answer": clientAnswer, "server_answer": serverAnswer, "status": status,
		"answer":      func(v *Checker, id, at, _ string) { v.Answer(id, at) },
		"server_call": func(v *Checker, id, _, _ string) { v.ServerCalls.Add(id) },
	}
)

const suffixResult = "_tool_result"

// Part validates a part of a message with a role, and returns its type.
func (v *Checker) Part(o rawjson.Object, at, role string) string {
	kind, _ := v.Text(o, "type", at, document.RuleBlockType, true)
	if kind == document.BlockToolCall {
		v.ToolCall(o, at, role)
	}
	rules := parts[kind]
	if rules == nil && strings.HasSuffix(kind, suffixResult) {
		rules = parts[suffixResult]
	}
	v.members(rules, o, at, role)
	return kind
}

// Untyped validates a part of a format whose parts have no type.
func (v *Checker) Untyped(o rawjson.Object, at, role string) {
	for _, m := range o {
		if inner, ok := rawjson.ReadObject(m.Value); ok {
			v.members(parts["."+m.Key], inner, at+rawjson.Pointer(m.Key), role)
		}
	}
}

func (v *Checker) members(rules []rule, o rawjson.Object, at, role string) {
	for _, r := range rules {
		if r.must != nil {
			r.must(v, o, r.key, at, r.rule)
		} else if text, ok := v.Text(o, r.key, at, r.rule, true); ok && r.then != nil {
			r.then(v, text, at+"/"+r.key, role)
		}
	}
}

func optional(v *Checker, o rawjson.Object, key, at, rule string) { v.Text(o, key, at, rule, false) }

// textOrList accepts the list of texts that one provider has in place of a text.
func textOrList(v *Checker, o rawjson.Object, key, at, rule string) {
	if !rawjson.IsArray(o.Get(key)) {
		v.Text(o, key, at, rule, true)
	}
}

// nestedText accepts a string in place of the object with the text, and the audio that is beside the type in another interface.
func nestedText(v *Checker, o rawjson.Object, key, at, rule string) {
	outer, inner, _ := strings.Cut(key, "/")
	outer, value := o.Find(outer)
	if nested, _ := rawjson.ReadObject(value); !rawjson.IsString(value) && !o.Has("audio") {
		v.Text(nested, inner, at+"/"+outer, rule, true)
	}
}

func oneOf(v *Checker, o rawjson.Object, key, at, rule string) {
	keys := strings.Split(key, "/")
	if !slices.ContainsFunc(keys, func(key string) bool { return rawjson.IsString(o.Get(key)) }) {
		kind, _ := o.Text("type")
		v.Add(at, rule, "the part of type "+rawjson.Name(kind)+" has no data", "set "+Alternatives(keys))
	}
}

func blocks(v *Checker, o rawjson.Object, key, at, _ string) {
	v.OptionalBlocks(o, key, at, func(rawjson.Object, string) {})
	v.Misplaced(o, key, "parts", at)
}

// clientAnswer validates the ID of the call that a result answers, unless the result is one of a server's tool, which is part of the model's message.
func clientAnswer(v *Checker, id, at, role string) {
	if role != document.RoleAssistant {
		v.Answer(id, at)
	}
}

func serverAnswer(v *Checker, id, at, _ string) {
	if !v.ServerCalls.Has(id) {
		v.Add(at, document.RuleServerToolResultCall, "no earlier call of a server tool has the ID "+rawjson.Name(id),
			v.ServerCalls.Hint("set it to the ID of the block that called the tool"))
	}
}

func status(v *Checker, status, at, _ string) {
	if status != "success" && status != "error" {
		v.Add(at, document.RuleServerToolResultStatus, "unknown status "+rawjson.Name(status), "set it to success or error")
	}
}
