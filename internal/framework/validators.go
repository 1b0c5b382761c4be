package framework

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// Validators of single values that more than one noun has. What the service is known to refuse is refused here, where the
// plan can name the attribute; what only an installation knows is left to it.

// UUID accepts UUIDs as the service writes them: another spelling would come back as a difference.
func UUID() validator.String {
	return Check{"a UUID", func(value string) error {
		id, err := uuid.Parse(value)
		if err == nil && id.String() != value {
			err = fmt.Errorf("it is not spelled as the service does: %q", id)
		}
		return err
	}}
}

// Duration accepts durations as Go writes them.
func Duration() validator.String {
	return Check{"a duration above zero, such as 30m", func(value string) error {
		d, err := time.ParseDuration(value)
		if err == nil && d <= 0 {
			err = errors.New("it is not above zero")
		}
		return err
	}}
}

// Time accepts times as RFC 3339 has them.
func Time() validator.String {
	return Check{"a time like 2026-06-01T00:00:00Z (RFC 3339)", func(value string) error {
		_, err := time.Parse(time.RFC3339, value)
		return err
	}}
}

// URL accepts absolute http and https URLs.
func URL() validator.String {
	return Check{"an http(s) URL", func(value string) error {
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

// Check is a validator of strings from a function.
type Check struct {
	// Wanted is what the value must be, for example: a UUID.
	Wanted string
	// Problem says why a value isn't.
	Problem func(string) error
}

// Description implements validator.Describer.
func (c Check) Description(context.Context) string { return "must be " + c.Wanted }

// MarkdownDescription implements validator.Describer.
func (c Check) MarkdownDescription(ctx context.Context) string { return c.Description(ctx) }

// ValidateString implements validator.String.
func (c Check) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	value := req.ConfigValue.ValueString()
	if err := c.Problem(value); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+req.Path.String(),
			fmt.Sprintf("%q must be %s, but: %s.", value, c.Wanted, err))
	}
}
