package deployment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// Validators of single values. What the service is known to refuse is refused here, where the plan can name the
// attribute; what only an installation knows is left to it.

func nameValidator() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`),
		"must begin with a letter and consist of letters, digits and dashes")
}

func dnsLabelValidator() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`),
		"must be a DNS label: at most 63 lower-case letters, digits and dashes, beginning and ending with a letter or digit")
}

func environmentNameValidator() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`),
		"must be the name of an environment variable: letters, digits and underscores, not beginning with a digit")
}

// repoRefValidator accepts bare branch names and full tag refs: the service takes every other refs/… for a branch of
// that name, which nobody means.
func repoRefValidator() validator.String {
	return check{"a bare branch name (main) or a full tag ref (refs/tags/v1.2.3)", func(value string) error {
		switch {
		case regexp.MustCompile(`^refs/tags/[^\s~^:?*\[\\]+$`).MatchString(value):
			return nil
		case regexp.MustCompile(`^refs/heads/.+`).MatchString(value):
			return fmt.Errorf("a branch is given by its bare name, without refs/heads/: %q", value[len("refs/heads/"):])
		case regexp.MustCompile(`^(refs/|/)|[\s~^:?*\[\\]|\.\.|/$|^$`).MatchString(value):
			return errors.New("it is not a valid name of a branch or tag")
		}
		return nil
	}}
}

// imageValidator accepts [host[:port]/]path[:tag][@digest].
func imageValidator() validator.String {
	pattern := regexp.MustCompile(`^([A-Za-z0-9.-]+(:[0-9]+)?/)?[a-z0-9]+([._/-]+[a-z0-9]+)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@[a-z0-9]+:[a-f0-9]{32,})?$`)
	return check{"the reference of a container image, such as registry.example.com/agents/chat:1.4.0", func(value string) error {
		if !pattern.MatchString(value) {
			return errors.New("it has no such form; there is no scheme, and names are in lower case")
		}
		return nil
	}}
}

func jsonObjectValidator() validator.String {
	return check{"the JSON of an object (use jsonencode)", func(value string) error {
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(value), &object); err != nil {
			return fmt.Errorf("it is not: %w", err)
		}
		if object == nil {
			return errors.New("it is null")
		}
		return nil
	}}
}

func uuidValidator() validator.String {
	return check{"a UUID", uuid.Validate}
}

func urlValidator() validator.String {
	return check{"an http(s) URL", func(value string) error {
		u, err := url.Parse(value)
		if err != nil {
			return err
		}
		if u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			return errors.New("it doesn't begin with https:// and a host")
		}
		return nil
	}}
}

// check is a validator of strings from a function.
type check struct {
	wanted  string
	problem func(string) error
}

func (c check) Description(context.Context) string { return "must be " + c.wanted }

func (c check) MarkdownDescription(ctx context.Context) string { return c.Description(ctx) }

func (c check) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	value := req.ConfigValue.ValueString()
	if err := c.problem(value); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+req.Path.String(),
			fmt.Sprintf("%q must be %s, but: %s.", value, c.wanted, err))
	}
}
