package framework

import (
	"context"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// SchemaPath returns the attribute for a location in a request body. Attributes have the API's names in snake case, with the suffix
// _json if they are JSON strings here; list indexes are kept. If the schema ends before the location, it returns the innermost
// existing attribute.
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

// schemaStep returns the attribute one step further.
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

// snakeCase converts the camel case of Kubernetes into snake case, and leaves snake case unchanged. An initialism is one word:
// downwardAPI becomes downward_api.
func snakeCase(word string) string {
	var b strings.Builder
	after := true // The previous rune is upper case, an underscore, or missing.
	for _, r := range word {
		if unicode.IsUpper(r) && !after {
			b.WriteByte('_')
		}
		after = unicode.IsUpper(r) || r == '_'
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
