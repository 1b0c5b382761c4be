package form

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Decode reads a request body into a T. Like the service, it collects every problem instead of stopping at the first one,
// matches keys exactly, ignores unknown keys, and treats null as absent for every optional field.
func Decode[T any](body []byte, dialect *api.Dialect) (T, error) {
	request, _, err := DecodeKnown[T](body, dialect)
	return request, err
}

// DecodeKnown is Decode, and also returns the names of the members that T doesn't have and that aren't null, sorted, those of inner objects
// with a path.
func DecodeKnown[T any](body []byte, dialect *api.Dialect) (request T, unknown []string, _ error) {
	raw, err := Parse(body)
	if err != nil {
		return request, nil, err
	}
	c := checker{dialect: dialect}
	known := c.value(reflect.TypeFor[T](), raw, []api.LocStep{api.Key("body")})
	slices.Sort(c.unknown)
	unknown = slices.Compact(c.unknown)
	if err := c.Err(); err != nil {
		return request, unknown, err
	}
	clean, err := json.Marshal(known)
	if err != nil {
		return request, unknown, fmt.Errorf("encode the checked request: %w", err)
	}
	if err := json.Unmarshal(clean, &request); err != nil {
		return request, unknown, fmt.Errorf("decode the checked request: %w", err)
	}
	return request, unknown, nil
}

// Parse reads one JSON value and preserves the digits of its numbers.
func Parse(body []byte) (any, error) {
	at := []api.LocStep{api.Key("body")}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, OfFields(api.ValidationError{Loc: at, Msg: "Field required", Type: "missing"})
	}
	if api.TooDeep(body) {
		return nil, NotJSON(fmt.Errorf("nested more than %d deep", api.MaxDepth))
	}
	var value any
	err := jsonv2.Unmarshal(body, &value, exactNumbers, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if wrong, is := errors.AsType[*jsontext.SyntacticError](err); is {
		return nil, NotJSON(wrong.Err, api.Index(int(wrong.ByteOffset)))
	}
	return value, err
}

// exactNumbers reads numbers as json.Number, as a json.Decoder with UseNumber does, whose buffer would take twice the memory of the body.
var exactNumbers = jsonv2.WithUnmarshalers(jsonv2.UnmarshalFromFunc(func(dec *jsontext.Decoder, value *any) error {
	if dec.PeekKind() != '0' {
		*value = nil // Of equal names, the last one counts: objects aren't merged.
		return jsonv2.SkipFunc
	}
	digits, err := dec.ReadValue()
	*value = json.Number(digits)
	return err
}))

// NotJSON refuses a body that can't be decoded.
func NotJSON(err error, at ...api.LocStep) error {
	return OfFields(api.ValidationError{
		Loc: append([]api.LocStep{api.Key("body")}, at...), Msg: "JSON decode error: " + err.Error(), Type: "json_invalid",
	})
}

// Field is the parsed struct tag of a field.
type Field struct {
	Name     string
	optional bool // The field may be absent or null.
	notNull  bool // The field may be absent, but not null.
	extended bool // Only extended dialects have the field.
}

// in reports whether a dialect has the field.
func (f Field) in(dialect *api.Dialect) bool {
	return f.Name != "" && (dialect.LangSmithAPI || !f.extended)
}

// WireField parses a struct tag; the name is empty for a field that is not part of the JSON.
func WireField(f reflect.StructField) Field {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	if !f.IsExported() || name == "-" {
		return Field{}
	}
	return Field{
		Name:     name,
		optional: slices.Contains(strings.Split(options, ","), "omitzero"),
		notNull:  f.Tag.Get("null") == "refused",
		extended: api.IsExtension(f),
	}
}

// checker compares a JSON value with a Go type and collects the problems.
type checker struct {
	Problems

	dialect *api.Dialect
	unknown []string // Members that no type has and that aren't null.
}

// enums are the enumerations of requests: what a dialect allows.
var enums = map[reflect.Type]func(*api.Dialect) []string{
	reflect.TypeFor[api.Source](): func(d *api.Dialect) []string { return Texts(Extended(d, api.Sources, api.ExtendedSources)) },
	reflect.TypeFor[api.DeploymentType](): func(d *api.Dialect) []string {
		return Texts(Extended(d, api.DeploymentTypes, api.ExtendedDeploymentTypes))
	},
	reflect.TypeFor[api.AgentEnvironment]():        func(*api.Dialect) []string { return Texts(api.AgentEnvironments) },
	reflect.TypeFor[api.LogOrder]():                func(*api.Dialect) []string { return Texts(api.LogOrders) },
	reflect.TypeFor[api.LogLevel]():                func(*api.Dialect) []string { return Texts(api.LogLevels) },
	reflect.TypeFor[api.ComputeType]():             func(*api.Dialect) []string { return Texts(api.ComputeTypes) },
	reflect.TypeFor[api.DeploymentTier]():          func(*api.Dialect) []string { return Texts(api.DeploymentTiers) },
	reflect.TypeFor[api.OAuthProviderType]():       func(*api.Dialect) []string { return Texts(api.OAuthProviderTypes) },
	reflect.TypeFor[api.TokenEndpointAuthMethod](): func(*api.Dialect) []string { return Texts(api.TokenEndpointAuthMethods) },
}

// value converts v to what t accepts: without unknown keys, with numbers and UUIDs in canonical form.
func (c *checker) value(t reflect.Type, v any, loc []api.LocStep) any {
	t = inner(t)
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return v
	case reflect.TypeFor[Truth]():
		return c.truth(v, loc)
	case reflect.TypeFor[api.UUID]():
		return c.uuid(v, loc)
	case reflect.TypeFor[api.CPU]():
		if c.dialect.FractionalCPU {
			return c.number(v, loc)
		}
		return c.integer(v, loc)
	}
	if allowed := enums[t]; allowed != nil {
		return c.enum(v, loc, allowed(c.dialect))
	}
	switch t.Kind() {
	case reflect.Struct:
		return c.object(t, v, loc)
	case reflect.Map:
		return c.dictionary(t, v, loc)
	case reflect.Slice:
		if _, is := v.([]any); !is && strings.HasPrefix(t.Name(), "OneOrMany[") {
			v = []any{v}
		}
		return c.list(t, v, loc)
	case reflect.String:
		return scalar[string](c, v, loc, "string_type", "Input should be a valid string")
	case reflect.Bool:
		return scalar[bool](c, v, loc, "bool_type", "Input should be a valid boolean")
	case reflect.Int64:
		return c.integer(v, loc)
	case reflect.Float64:
		return c.number(v, loc)
	default:
		panic(fmt.Sprintf("request type %s has no JSON check", t))
	}
}

// inner unwraps pointers and api.Optional.
func inner(t reflect.Type) reflect.Type {
	for {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
			continue
		}
		if t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "Optional[") {
			value, _ := t.FieldByName("Value")
			t = value.Type
			continue
		}
		return t
	}
}

func (c *checker) object(t reflect.Type, v any, loc []api.LocStep) any {
	given, is := v.(map[string]any)
	if !is {
		c.Add(loc, "dict_type", "Input should be a valid dictionary")
		return nil
	}
	known, names := make(map[string]any, len(given)), make(map[string]bool, len(given))
	for _, of := range reflect.VisibleFields(t) {
		f := WireField(of)
		if !f.in(c.dialect) {
			continue
		}
		names[f.Name] = true
		at := append(slices.Clip(loc), api.Key(f.Name))
		value, present := given[f.Name]
		switch {
		case !present && !f.optional:
			c.Add(at, "missing", "Field required")
		case !present:
		case value == nil && f.optional && !f.notNull:
			known[f.Name] = nil
		default:
			known[f.Name] = c.value(of.Type, value, at)
		}
	}
	for name, value := range given {
		if !names[name] && value != nil {
			c.unknown = append(c.unknown, memberPath(append(slices.Clip(loc), api.Key(name))))
		}
	}
	return known
}

func (c *checker) dictionary(t reflect.Type, v any, loc []api.LocStep) any {
	given, is := v.(map[string]any)
	if !is {
		c.Add(loc, "dict_type", "Input should be a valid dictionary")
		return nil
	}
	known := make(map[string]any, len(given))
	for _, key := range slices.Sorted(maps.Keys(given)) {
		known[key] = c.value(t.Elem(), given[key], append(slices.Clip(loc), api.Key(key)))
	}
	return known
}

func (c *checker) list(t reflect.Type, v any, loc []api.LocStep) any {
	given, is := v.([]any)
	if !is {
		c.Add(loc, "list_type", "Input should be a valid list")
		return nil
	}
	known := make([]any, len(given))
	for i, element := range given {
		known[i] = c.value(t.Elem(), element, append(slices.Clip(loc), api.Index(i)))
	}
	return known
}

func scalar[T any](c *checker, v any, loc []api.LocStep, kind, msg string) any {
	if _, is := v.(T); !is {
		c.Add(loc, kind, "%s", msg)
	}
	return v
}

func (c *checker) number(v any, loc []api.LocStep) any {
	if number, is := v.(json.Number); is {
		if _, err := number.Float64(); err != nil {
			c.Add(loc, "finite_number", "Input should be a finite number")
		}
		return v
	}
	return scalar[json.Number](c, v, loc, "float_type", "Input should be a valid number")
}

// integer accepts both 2 and 2.0.
func (c *checker) integer(v any, loc []api.LocStep) any {
	number, is := v.(json.Number)
	if !is {
		c.Add(loc, "int_type", "Input should be a valid integer")
		return nil
	}
	if _, err := number.Int64(); err == nil {
		return number
	}
	f, err := number.Float64()
	switch {
	case err == nil && f != math.Trunc(f):
		c.Add(loc, "int_from_float", "Input should be a valid integer, got a number with a fractional part")
	case err != nil || f < math.MinInt64 || f >= math.MaxInt64:
		c.Add(loc, "int_parsing_size", "Input should be an integer of at most 64 bits")
	default:
		return json.Number(strconv.FormatInt(int64(f), 10))
	}
	return nil
}

func (c *checker) uuid(v any, loc []api.LocStep) any {
	text, is := v.(string)
	if !is {
		c.Add(loc, "uuid_type", "UUID input should be a string")
		return nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		c.Report(NotUUID(loc, err))
		return nil
	}
	return id.String()
}

// NewID returns the ID that a client has chosen, or a random one.
func NewID(chosen *api.UUID) string {
	if chosen == nil {
		return uuid.NewString()
	}
	return string(*chosen)
}

// NotUUID is the problem of a text that isn't a UUID.
func NotUUID(loc []api.LocStep, err error) api.ValidationError {
	return api.ValidationError{Loc: loc, Msg: "Input should be a valid UUID, " + err.Error(), Type: "uuid_parsing"}
}

func (c *checker) enum(v any, loc []api.LocStep, allowed []string) any {
	if text, is := v.(string); !is || !slices.Contains(allowed, text) {
		c.Report(NotOneOf(loc, allowed, EnumError))
	}
	return v
}

// Extended returns the values of an enumeration in a dialect.
func Extended[T any](dialect *api.Dialect, values, more []T) []T {
	if !dialect.LangSmithAPI {
		return values
	}
	return slices.Concat(values, more)
}

// NotOneOf formats the allowed values as the service does: 'a', 'b' or 'c'.
func NotOneOf(loc []api.LocStep, allowed []string, kind string) api.ValidationError {
	quoted := Collect(allowed, func(choice string) string { return "'" + choice + "'" })
	choices := quoted[len(quoted)-1]
	if others := quoted[:len(quoted)-1]; len(others) > 0 {
		choices = strings.Join(others, ", ") + " or " + choices
	}
	return api.ValidationError{Loc: loc, Msg: "Input should be " + choices, Type: kind}
}

// Contains reports whether a JSON text contains a value, like a query of a document store: objects contain their keys, lists their elements
// in any order, and any other value only itself.
func Contains(text string, wanted any) bool {
	value, err := Parse([]byte(text))
	return err == nil && contains(value, wanted)
}

func contains(value, wanted any) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		object, is := value.(map[string]any)
		for key, inner := range wanted {
			outer, has := object[key]
			is = is && has && contains(outer, inner)
		}
		return is
	case []any:
		list, is := value.([]any)
		for _, inner := range wanted {
			is = is && slices.ContainsFunc(list, func(element any) bool { return contains(element, inner) })
		}
		return is
	default:
		return value == wanted
	}
}
