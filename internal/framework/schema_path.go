package framework

import (
	"context"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// SchemaPath is the attribute that a location in a request body stands for: the API's words in snake case, with _json
// behind those that are strings of JSON here, and list indexes kept. Where the schema ends before the location does, it is
// the innermost attribute that exists.
func SchemaPath(s schema.Schema, loc []api.LocStep) (path.Path, bool) {
	at, found := path.Empty(), false
	for _, step := range loc {
		next, exists := schemaStep(s, at, step)
		if !exists {
			break
		}
		at, found = next, true
	}
	return at, found
}

// schemaStep is the attribute one step further.
func schemaStep(s schema.Schema, at path.Path, step api.LocStep) (path.Path, bool) {
	var candidates []path.Path
	if step.Index != nil {
		candidates = append(candidates, at.AtListIndex(int(*step.Index)))
	} else {
		word := snakeCase(step.Key)
		candidates = append(candidates, at.AtName(word), at.AtName(word+"_json"))
	}
	for _, next := range candidates {
		if _, diags := s.TypeAtPath(context.Background(), next); !diags.HasError() {
			return next, true
		}
	}
	return path.Empty(), false
}

// snakeCase turns the camel case of Kubernetes' words into Terraform's form, and leaves snake case alone. An initialism
// is one word: downwardAPI is downward_api.
func snakeCase(word string) string {
	var b strings.Builder
	after := true // The rune before is upper case, an underscore, or not there.
	for _, r := range word {
		if unicode.IsUpper(r) && !after {
			b.WriteByte('_')
		}
		after = unicode.IsUpper(r) || r == '_'
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
