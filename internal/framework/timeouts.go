package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// Timeouts returns the timeouts attribute of a resource. The module's own validator accepts zero and negative durations, with which
// every operation would fail immediately.
func Timeouts(ctx context.Context, description string, opts timeouts.Opts) schema.Attribute {
	attribute, ok := timeouts.Attributes(ctx, opts).(schema.SingleNestedAttribute)
	if !ok {
		panic("the attribute timeouts is not an object")
	}
	attribute.MarkdownDescription = description
	for name, operation := range attribute.Attributes {
		limit, ok := operation.(schema.StringAttribute)
		if !ok {
			panic("timeouts." + name + " is not a string")
		}
		limit.Validators = []validator.String{Duration()}
		attribute.Attributes[name] = limit
	}
	return attribute
}
