package functions

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
)

const tagPrefix = "refs/tags/"

// tagName is what git accepts in the name of a tag, as far as one character decides.
var tagName = regexp.MustCompile(`^[^\s~^:?*\[\\]+$`)

type tagRef struct{}

// NewTagRef makes the full ref of a tag.
func NewTagRef() function.Function { return tagRef{} }

func (tagRef) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "tag_ref"
}

func (tagRef) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Returns the full Git ref of a tag",
		MarkdownDescription: "Returns the full Git ref of a tag, for `source_revision_config.repo_ref` of a deployment: " +
			"`v1.2.3` becomes `refs/tags/v1.2.3`. A full ref is returned unchanged.",
		Parameters: []function.Parameter{function.StringParameter{
			Name: "tag", MarkdownDescription: "Name of the tag, such as `v1.2.3`.",
		}},
		Return: function.StringReturn{},
	}
}

func (tagRef) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var tag string
	resp.Error = function.ConcatFuncErrors(resp.Error, req.Arguments.Get(ctx, &tag))
	if resp.Error != nil {
		return
	}
	name := strings.TrimPrefix(tag, tagPrefix)
	if !tagName.MatchString(name) || strings.HasPrefix(name, "refs/") || strings.Contains(name, "..") ||
		strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") {
		resp.Error = function.NewArgumentFuncError(0, fmt.Sprintf("%q is not the name of a tag, such as v1.2.3.", tag))
		return
	}
	resp.Error = resp.Result.Set(ctx, tagPrefix+name)
}
