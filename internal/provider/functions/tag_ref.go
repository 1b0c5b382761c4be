package functions

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const tagPrefix = "refs/tags/"

// tagName is what git accepts in the name of a tag, as far as one character decides.
var tagName = regexp.MustCompile(`^[^\s~^:?*\[\\]+$`)

// NewTagRef makes the full ref of a tag.
func NewTagRef() function.Function {
	return spec{name: "tag_ref", run: ofOne(tagRef), definition: function.Definition{
		Summary: "Returns the full Git ref of a tag",
		MarkdownDescription: "Returns the full Git ref of a tag, for `source_revision_config.repo_ref` of a deployment: " +
			"`v1.2.3` becomes `refs/tags/v1.2.3`. A full ref is returned unchanged.",
		Parameters: []function.Parameter{function.StringParameter{
			Name: "tag", MarkdownDescription: "Name of the tag, such as `v1.2.3`.",
		}},
		Return: function.StringReturn{},
	}}
}

func tagRef(tag string) (attr.Value, *function.FuncError) {
	name := strings.TrimPrefix(tag, tagPrefix)
	if !tagName.MatchString(name) || strings.HasPrefix(name, "refs/") || strings.Contains(name, "..") ||
		strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") {
		return nil, function.NewArgumentFuncError(0, fmt.Sprintf("%q is not the name of a tag, such as v1.2.3.", tag))
	}
	return types.StringValue(tagPrefix + name), nil
}
