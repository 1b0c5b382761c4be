package agents

import (
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Check validates that the entries are messages of a known role, or items.
func Check(v *check.Checker, src document.Source) {
	c, _ := open(src)
	r := reader{Document: &document.Document{Format: c.format, Side: src.Side}}
	keys := slices.Concat(contentKeys, wrappers)
	for i, raw := range c.entries {
		at := v.Base
		switch {
		case c.key != "" && c.shape != document.ShapeMessage:
			at += rawjson.Pointer(c.key, i)
		case c.key != "":
			at += rawjson.Pointer(c.key)
		case c.shape == document.ShapeList:
			at += rawjson.Pointer(i)
		}
		r.Messages, r.aside, r.contents = r.Messages[:0], nil, false
		r.add(raw)
		if !rawjson.IsObject(raw) && !rawjson.IsString(raw) {
			v.Add(at, document.RuleMessageObject, "a message is "+rawjson.Show(raw)+", not an object", "write it as an object with a role or a type")
		}
		for _, m := range r.Messages {
			for _, key := range keys {
				if len(m.Content) == 0 && !rawjson.IsVoidOrAbsent(m.Extras[key]) {
					v.Add(at+rawjson.Pointer(key), document.RuleContentBlocks, "the "+key+" is not a list of parts", `write it as [{"type": "text", "text": …}]`)
				}
			}
			if !slices.Contains(roles, m.Role) {
				v.Add(at+"/role", document.RuleRoleKnown, "unknown role "+rawjson.Name(m.Role), "set it to "+check.Alternatives(roles))
			}
		}
	}
}

var roles = []string{document.RoleSystem, document.RoleReasoning, document.RoleUser, document.RoleAssistant, document.RoleTool}
