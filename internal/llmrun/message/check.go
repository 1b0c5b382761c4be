package message

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// validator collects the problems of one document.
type validator struct {
	side Side
	// base is the pointer of the document within a wrapper.
	base     string
	problems []Problem
	// more counts the problems that aren't listed.
	more int
	// calls and serverCalls are the calls so far. Those of a message apply to the messages after it, so those of the
	// current one are kept in pending.
	calls, serverCalls, pending ids
}

func (v *validator) add(at, rule, message, remedy string) {
	if len(v.problems) == maxListed {
		v.more++
		return
	}
	v.problems = append(v.problems, Problem{Pointer: at, Rule: rule, Message: message, Remedy: remedy})
}

// all returns the list of problems, with the number of omitted ones.
func (v *validator) all() []Problem {
	if v.more == 0 {
		return v.problems
	}
	return append(v.problems, Problem{
		Rule: ruleMoreProblems, Message: strconv.Itoa(v.more) + " more problems are not listed", Remedy: "correct the listed problems first",
	})
}

// ids are IDs of calls in order.
type ids struct {
	known map[string]bool
	order []string
}

func (i *ids) add(id string) {
	if i.known == nil {
		i.known = map[string]bool{}
	}
	if !i.known[id] {
		i.known[id], i.order = true, append(i.order, id)
	}
}

func (i *ids) has(id string) bool { return i.known[id] }

// hint appends the valid IDs to a remedy.
func (i *ids) hint(remedy string) string {
	if len(i.order) == 0 {
		return remedy
	}
	names := make([]string, 0, shownIDs+1)
	for _, id := range i.order[:min(shownIDs, len(i.order))] {
		names = append(names, rawjson.Name(id))
	}
	if len(i.order) > shownIDs {
		names = append(names, "…")
	}
	return remedy + ": " + strings.Join(names, ", ")
}

// envelope validates the messages of an envelope, and the usage beside them.
func (v *validator) envelope(src Source, message func(rawjson.Object, place)) {
	e, _ := openEnvelope(src)
	for i, raw := range e.messages {
		o, _ := rawjson.ReadObject(raw)
		message(o, e.place(v.base, i))
		v.endMessage()
	}
	if usage := e.rest["usage_metadata"]; usage != nil {
		v.usage(usage, v.base+"/usage_metadata")
	}
}

// endMessage adds the calls of a message to those that later messages can refer to.
func (v *validator) endMessage() {
	for _, id := range v.pending.order {
		v.calls.add(id)
	}
	v.pending = ids{}
}

// role validates the role and returns it.
func (v *validator) role(o rawjson.Object, p place, roles ...string) string {
	raw := o.Get("role")
	role, ok := rawjson.ReadString(raw)
	switch {
	case raw == nil:
		v.add(p.member("role"), ruleRoleRequired, "the message has no role", "set it to "+alternatives(roles))
	case !ok:
		v.add(p.member("role"), ruleRoleKnown, "the role is "+rawjson.Show(raw)+", not a string", "set it to "+alternatives(roles))
	case !slices.Contains(roles, role):
		v.add(p.member("role"), ruleRoleKnown, "unknown role "+rawjson.Name(role), "set it to "+alternatives(roles))
	}
	return role
}

// blocks validates that content exists and is a string or a list of objects, and passes on the objects.
func (v *validator) blocks(content json.RawMessage, at string, block func(rawjson.Object, string)) {
	if content == nil {
		v.add(at, ruleContentRequired, "the message has no content", "set it to a list of typed blocks, which may be empty")
		return
	}
	if rawjson.IsString(content) {
		return
	}
	list, ok := rawjson.ReadArray(content)
	if !ok {
		v.add(at, ruleContentBlocks, "the content is "+rawjson.Show(content)+", not a list of blocks", `write it as [{"type": "text", "text": …}]`)
		return
	}
	for i, raw := range list {
		at := at + rawjson.Pointer(i)
		o, ok := rawjson.ReadObject(raw)
		if !ok {
			v.add(at, ruleContentBlocks, "a block is "+rawjson.Show(raw)+", not an object", `write it as {"type": "text", "text": …}`)
			continue
		}
		block(o, at)
	}
}

// text validates a member that must be a string; only a required one must exist.
func (v *validator) text(o rawjson.Object, key, at, rule string, required bool) (string, bool) {
	raw := o.Get(key)
	s, ok := rawjson.ReadString(raw)
	switch {
	case ok:
	case raw != nil:
		v.add(at+rawjson.Pointer(key), rule, key+" is "+rawjson.Show(raw)+", not a string", "write it as a string")
	case required:
		v.add(at+rawjson.Pointer(key), rule, key+" is missing", "set it to a string")
	}
	return s, ok
}

// object validates a required member that must be an object.
func (v *validator) object(o rawjson.Object, key, at, rule string) {
	raw := o.Get(key)
	switch {
	case raw == nil:
		v.add(at+rawjson.Pointer(key), rule, key+" is missing", "set it to an object, or {} for no arguments")
	case !rawjson.IsObject(raw):
		v.add(at+rawjson.Pointer(key), rule, key+" is "+rawjson.Show(raw)+", not an object", "write it as an object")
	}
}

// call records the ID of a call; only assistants' calls can be answered.
func (v *validator) call(id, at, role string) {
	if v.calls.has(id) || v.pending.has(id) {
		v.add(at, ruleToolCallIDUnique, "the id "+rawjson.Name(id)+" is already used by an earlier call", "give each call a unique ID")
	}
	if role == RoleAssistant {
		v.pending.add(id)
	}
}

// answer validates the ID of the call that something answers.
func (v *validator) answer(id, at string) {
	if !v.calls.has(id) {
		v.add(at, ruleToolCallIDKnown, "no assistant message before this one has a tool call with the id "+rawjson.Name(id),
			v.calls.hint("set it to the ID of a call in an earlier assistant message"))
	}
}

// shownIDs is the number of IDs that a remedy lists.
const shownIDs = 5

func alternatives(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
