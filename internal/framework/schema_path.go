package framework

import (
	"context"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// SchemaPath is the attribute that a location in a request body stands for: the API's words in snake case, list indexes
// kept. Where the schema ends before the location does, it is the innermost attribute that exists.
func SchemaPath(s schema.Schema, loc []api.LocStep) (path.Path, bool) {
	at, found := path.Empty(), false
	for i, step := range loc {
		var next path.Path
		switch {
		case step.Index != nil:
			next = at.AtListIndex(int(*step.Index))
		case i == 0:
			next = path.Root(snakeCase(step.Key))
		default:
			next = at.AtName(snakeCase(step.Key))
		}
		if _, diags := s.TypeAtPath(context.Background(), next); diags.HasError() {
			break
		}
		at, found = next, true
	}
	return at, found
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
