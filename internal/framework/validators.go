package framework

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Validators of single values that several resources share. What the service is known to refuse is refused here, so that the plan can
// name the attribute; rules that only an installation knows are left to it.

// UUID accepts UUIDs in the service's spelling, because any other spelling would show up as drift.
func UUID() validator.String {
	return Check{Wanted: "a UUID", Problem: func(value string) error {
		id, err := uuid.Parse(value)
		switch {
		case value == "":
			return errors.New("it is empty")
		case err != nil:
			return errors.New("it doesn't have the form 7c9e6679-7425-40de-944b-e07fc1f90ae7")
		case id.String() != value:
			return fmt.Errorf("the service writes it as %q", id)
		}
		return nil
	}}
}

// OneOf accepts the values of an enumeration.
func OneOf[T ~string](enum ...T) validator.String {
	values := make([]string, len(enum))
	for i, value := range enum {
		values[i] = string(value)
	}
	return stringValue{stringvalidator.OneOf(values...)}
}

// Matches accepts what a pattern matches.
func Matches(pattern *regexp.Regexp, must string) validator.String {
	return stringValue{stringvalidator.RegexMatches(pattern, must)}
}

// NotBlank accepts texts that are empty, which other validators refuse, or have more than spaces.
func NotBlank() validator.String {
	return Check{Wanted: "more than spaces", Problem: func(value string) error {
		if value != "" && strings.TrimSpace(value) == "" {
			return errors.New("it is blank")
		}
		return nil
	}}
}

// Duration accepts durations in Go's format.
func Duration() validator.String {
	return Check{ByHand: true, Wanted: "a duration above zero, such as 30m", Problem: func(value string) error {
		switch d, err := time.ParseDuration(value); {
		case err != nil:
			return errors.New("it is not a number with a unit")
		case d <= 0:
			return errors.New("it is not above zero")
		}
		return nil
	}}
}

// Limits of the times that services can store.
var (
	earliest = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC)
)

// Time accepts RFC 3339 times. Services that count nanoseconds or store times in 64 bits only accept those of some centuries.
func Time() validator.String {
	return Check{Wanted: "a time like 2026-06-01T00:00:00Z (RFC 3339)", Problem: func(value string) error {
		switch t, err := time.Parse(time.RFC3339, value); {
		case err != nil:
			return errors.New("it has another format")
		case t.Before(earliest) || !t.Before(latest):
			return fmt.Errorf("it is not between the years %d and %d", earliest.Year(), latest.Year()-1)
		}
		return nil
	}}
}

// URL accepts absolute http and https URLs.
func URL() validator.String {
	return Check{Wanted: "an http(s) URL", Problem: func(value string) error {
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

// Check is a string validator that calls a function.
type Check struct {
	// Wanted is what the value must be, for example: a UUID.
	Wanted string
	// Problem returns why a value is invalid.
	Problem func(string) error
	// ByHand means that users write the value, instead of taking it from another object, so that it is always checked.
	ByHand bool
	// Secret means that an invalid value may contain a secret, and must not be quoted.
	Secret bool
}

// Description implements validator.Describer.
func (c Check) Description(context.Context) string { return "must be " + c.Wanted }

// MarkdownDescription implements validator.Describer.
func (c Check) MarkdownDescription(ctx context.Context) string { return c.Description(ctx) }

// ValidateString implements validator.String.
func (c Check) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !c.ByHand && !ChecksValues(ctx) || req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	value := req.ConfigValue.ValueString()
	err := c.Problem(value)
	if err == nil {
		return
	}
	subject := fmt.Sprintf("%q", value)
	if c.Secret {
		subject = req.Path.String()
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+req.Path.String(), fmt.Sprintf("%s must be %s, but: %s.", subject, c.Wanted, err))
}

// DNSLabel accepts the names of volumes, containers and namespaces.
func DNSLabel() validator.String {
	return Matches(regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`),
		"must be a DNS label: at most 63 lower-case letters, digits and dashes, beginning and ending with a letter or digit")
}

// DNSSubdomain accepts the names of most other Kubernetes objects.
func DNSSubdomain() validator.String {
	return Matches(regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$`),
		"must be the name of a Kubernetes object: at most 253 lower-case letters, digits, dashes and dots, beginning and ending with a "+
			"letter or digit")
}

// Image accepts references to container images: [host[:port]/]path[:tag][@digest].
func Image() validator.String {
	pattern := regexp.MustCompile(`^(([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?/)?[a-z0-9]+((\.|_{1,2}|-+|/)[a-z0-9]+)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@[a-z0-9]+:[a-f0-9]{32,})?$`)
	const wanted = "the reference of a container image, such as registry.example.com/agents/chat:1.4.0"
	return Check{Wanted: wanted, Problem: func(value string) error {
		if !pattern.MatchString(value) {
			return errors.New("it is not a valid image reference; omit the scheme and write names in lower case")
		}
		return nil
	}}
}

// RefuseDigest refuses the reference of an image with an incomplete digest. Image accepts those that earlier versions accepted, so that
// existing objects can be planned.
func RefuseDigest(at path.Path, image string) diag.Diagnostics {
	if api.CompleteDigest(image) {
		return nil
	}
	return ErrorAt(at, "Invalid "+at.String(), "%s is %q, but a SHA-256 digest has 64 hexadecimal digits. Copy the whole digest.", at, image)
}

// A configuration is validated in two steps. The validate calls of the protocol find out which arguments are set together; what their
// values are is checked by the calls that use them: plans, reads of data sources, invocations of actions. Mocks of terraform test make
// the validate calls, with random values in place of references, and none of the others.

type anyValue struct{}

// WithAnyValue returns a context in which validators accept any value.
func WithAnyValue(ctx context.Context) context.Context {
	return context.WithValue(ctx, anyValue{}, true)
}

// ChecksValues reports whether a validator checks values.
func ChecksValues(ctx context.Context) bool { return ctx.Value(anyValue{}) == nil }

// stringValue is a validator of values.
type stringValue struct{ validator.String }

// ValidateString implements validator.String.
func (v stringValue) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if ChecksValues(ctx) {
		v.String.ValidateString(ctx, req, resp)
	}
}

type listValue struct{ validator.List }

// ListValue makes a validator of lists one of values.
func ListValue(v validator.List) validator.List { return listValue{v} }

// ValidateList implements validator.List.
func (v listValue) ValidateList(ctx context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	if ChecksValues(ctx) {
		v.List.ValidateList(ctx, req, resp)
	}
}

type setValue struct{ validator.Set }

// SetValue makes a validator of sets one of values.
func SetValue(v validator.Set) validator.Set { return setValue{v} }

// ValidateSet implements validator.Set.
func (v setValue) ValidateSet(ctx context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	if ChecksValues(ctx) {
		v.Set.ValidateSet(ctx, req, resp)
	}
}

// Bounds accepts the numbers of a range. It is the rule for all numbers of the provider: its errors name the attribute, the number and
// the bound.
type Bounds struct {
	least, most float64
	// whole also refuses fractions, for attributes of the type number.
	whole bool
}

var (
	_ validator.Int64   = Bounds{}
	_ validator.Float64 = Bounds{}
	_ validator.Number  = Bounds{}
)

// AtLeast accepts numbers from a minimum on.
func AtLeast(least float64) Bounds { return Bounds{least: least, most: math.Inf(1)} }

// Between accepts numbers from a minimum to a maximum.
func Between(least, most float64) Bounds { return Bounds{least: least, most: most} }

// WholeBetween accepts whole numbers from a minimum to a maximum. The framework calls a fraction in an Int64Attribute a bug of the
// provider, which is why such an attribute is a NumberAttribute.
func WholeBetween(least, most float64) Bounds { return Bounds{least, most, true} }

// Description implements validator.Describer.
func (b Bounds) Description(context.Context) string { return b.wanted() }

func (b Bounds) wanted() string {
	kind := "a number"
	if b.whole {
		kind = "a whole number"
	}
	if math.IsInf(b.most, 1) {
		return fmt.Sprintf("must be %s from %s", kind, NumberText(big.NewFloat(b.least)))
	}
	return fmt.Sprintf("must be %s from %s to %s", kind, NumberText(big.NewFloat(b.least)), NumberText(big.NewFloat(b.most)))
}

// MarkdownDescription implements validator.Describer.
func (b Bounds) MarkdownDescription(ctx context.Context) string { return b.Description(ctx) }

// Refuse returns an error if a number is out of bounds.
func (b Bounds) Refuse(at path.Path, n *big.Float) diag.Diagnostics {
	var problem string
	switch {
	case b.whole && !n.IsInt():
		problem = "it " + b.wanted()
	case n.Cmp(big.NewFloat(b.least)) < 0:
		problem = "the minimum is " + NumberText(big.NewFloat(b.least))
	case n.Cmp(big.NewFloat(b.most)) > 0:
		problem = "the maximum is " + NumberText(big.NewFloat(b.most))
	default:
		return nil
	}
	return ErrorAt(at, "Number out of range", "%s is %s; %s.", at, NumberText(n), problem)
}

// ValidateInt64 implements validator.Int64.
func (b Bounds) ValidateInt64(ctx context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	if v := req.ConfigValue; ChecksValues(ctx) && !v.IsNull() && !v.IsUnknown() {
		resp.Diagnostics.Append(b.Refuse(req.Path, new(big.Float).SetInt64(v.ValueInt64()))...)
	}
}

// ValidateFloat64 implements validator.Float64.
func (b Bounds) ValidateFloat64(ctx context.Context, req validator.Float64Request, resp *validator.Float64Response) {
	if v := req.ConfigValue; ChecksValues(ctx) && !v.IsNull() && !v.IsUnknown() {
		resp.Diagnostics.Append(b.Refuse(req.Path, big.NewFloat(v.ValueFloat64()))...)
	}
}

// ValidateNumber implements validator.Number.
func (b Bounds) ValidateNumber(ctx context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	if v := req.ConfigValue; ChecksValues(ctx) && !v.IsNull() && !v.IsUnknown() {
		resp.Diagnostics.Append(b.Refuse(req.Path, v.ValueBigFloat())...)
	}
}

// NumberText returns a number as users write it, unless it has very many digits.
func NumberText(n *big.Float) string {
	if n.MantExp(nil) > 64 {
		return n.Text('g', 10)
	}
	return n.Text('f', -1)
}

// ExactlyOneOf validates that exactly one of several attributes is set; use it on the first of them. Unlike the messages of the
// validators module, its messages name all of them.
func ExactlyOneOf(names ...string) validator.String { return oneOf{names, true} }

// AtLeastOneOf validates that at least one of several attributes is set; use it on the first of them.
func AtLeastOneOf(names ...string) validator.String { return oneOf{names, false} }

type oneOf struct {
	names []string
	only  bool
}

// Description implements validator.Describer.
func (o oneOf) Description(context.Context) string {
	amount := "at least one"
	if o.only {
		amount = "exactly one"
	}
	last := len(o.names) - 1
	return fmt.Sprintf("%s of %s and %s must be set", amount, strings.Join(o.names[:last], ", "), o.names[last])
}

// MarkdownDescription implements validator.Describer.
func (o oneOf) MarkdownDescription(ctx context.Context) string { return o.Description(ctx) }

// ValidateString implements validator.String. It reports nothing while an unknown value may decide.
func (o oneOf) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	var set []string
	for _, name := range o.names {
		var value attr.Value
		resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(name), &value)...)
		if resp.Diagnostics.HasError() || value.IsUnknown() {
			return
		}
		if !value.IsNull() {
			set = append(set, name)
		}
	}
	rule := strings.ToUpper(o.Description(ctx)[:1]) + o.Description(ctx)[1:]
	switch {
	case len(set) == 0:
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid Attribute Combination", rule+", but none is.")
	case o.only && len(set) > 1:
		resp.Diagnostics.AddAttributeError(path.Root(set[0]), "Invalid Attribute Combination",
			fmt.Sprintf("%s, but %s are. Keep one of them.", rule, strings.Join(set, " and ")))
	}
}
