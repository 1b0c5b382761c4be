package deployment

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// sourceValidator accepts the neutral names of sources. Many configurations follow the documentation of a product with its
// own names: for these, the error says what to write and which dialect to set.
type sourceValidator struct{ validator.String }

func newSourceValidator() validator.String {
	return sourceValidator{stringvalidator.OneOf(values(slices.Concat(api.Sources, api.ExtendedSources))...)}
}

func (v sourceValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	for _, dialect := range api.Dialects {
		at := slices.Index(dialect.SourceNames(), req.ConfigValue.ValueString())
		if at < 0 || slices.Contains(api.Neutral.SourceNames(), req.ConfigValue.ValueString()) {
			continue
		}
		resp.Diagnostics.AddAttributeError(req.Path, "Name of another dialect", fmt.Sprintf("%s is %q. In the dialect %q, that is the name "+
			"of %q. Write source = %[4]q, and set dialect = %[3]q in the provider block (AGENTPLANE_DIALECT).",
			req.Path, req.ConfigValue.ValueString(), dialect.Name, api.Neutral.SourceNames()[at]))
		return
	}
	v.String.ValidateString(ctx, req, resp)
}
