package pages

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// argument is an argument of a resource.
type argument struct {
	name  string
	value hclwrite.Tokens
}

// settable are the settings that have an argument, with the sources that take it; none are all. What the service returns besides them is
// set by the service, or belongs to deployments of another source.
var settable = map[string][]api.Source{
	"integration_id": {api.SourceGitHost}, "repo_url": {api.SourceGitHost}, "build_on_push": {api.SourceGitHost},
	"deployment_type": {api.SourceGitHost, api.SourceInternalContainer, api.SourceInternalSource, api.SourceInternalTemplate},
	"custom_url":      {api.SourceExternalContainer}, "resource_spec": {api.SourceExternalContainer},
	"listener_id": {api.SourceExternalContainer}, "listener_config": {api.SourceExternalContainer},
	"install_command": nil, "build_command": nil, "template_id": {api.SourceInternalTemplate},
	"repo_ref": {api.SourceGitHost}, "graph_config_path": {api.SourceGitHost, api.SourceInternalSource},
	"image_uri":           {api.SourceExternalContainer, api.SourceInternalContainer},
	"source_tarball_path": {api.SourceInternalSource},
}

// unknownSettings are those that an import can't read, because the service hides them or mixes them with its defaults.
func unknownSettings(source api.Source, dialect *api.Dialect) []string {
	var names []string
	if dialect.HidesSettings {
		names = append(names, "listener_config", "install_command", "build_command")
	}
	if dialect.FillsResourceSpec {
		names = append(names, "resource_spec")
	}
	return slices.DeleteFunc(names, func(name string) bool { return !takes(source, name) })
}

// takes reports whether a setting has an argument for deployments of a source.
func takes(source api.Source, name string) bool {
	sources, has := settable[name]
	return has && (sources == nil || slices.Contains(sources, source))
}

// argumentsOf returns the arguments that a deployment was made with, except some, and the variables for what is never shown.
func argumentsOf(d api.Deployment, except []string) (all []argument, variables []string, err error) {
	if branch := d.SourceConfig.RepoBranch; branch != nil {
		d.SourceRevisionConfig.RepoRef = branch // In its place, the service returns the commit that was built.
	}
	if spec := d.SourceConfig.ResourceSpec; spec != nil {
		kept, err := withoutDerived(*spec)
		if err != nil {
			return nil, nil, err
		}
		d.SourceConfig.ResourceSpec = &kept
	}
	l := argumentList{writer: hclWriter{source: d.Source, except: except}}
	l.set("name", d.Name)
	l.set("display_name", d.DisplayName)
	l.set("source", d.Source)
	l.set("source_config", l.writer.settings(d.SourceConfig))
	l.set("source_revision_config", l.writer.settings(d.SourceRevisionConfig))
	l.set("shareable", orNil(d.Shareable))
	l.set("route_through_gateway", orNil(d.RouteThroughGateway))
	l.set("deployment_tier", d.DeploymentTier)
	l.set("compute_tier", d.ComputeTier)
	l.set("database_tier", d.DatabaseTier)
	return l.all, slices.Compact(slices.Sorted(slices.Values(l.writer.variables))), l.writer.failed
}

// withoutDerived leaves out what the service derives from other fields: an import doesn't manage that.
func withoutDerived(spec api.ResourceSpec) (kept api.ResourceSpec, err error) {
	var all map[string]any
	text, err := json.Marshal(spec)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return spec, err
	}
	left := maps.Clone(all)
	for _, rule := range slices.Concat(api.DerivedFields, api.ExtendedDerivedFields) {
		base, is := all[rule.From].(float64)
		if !is {
			continue
		}
		derived := base * float64(rule.Factor)
		if all[rule.Field] == nil {
			all[rule.Field] = derived // Others are derived from it.
		}
		if left[rule.Field] == derived {
			delete(left, rule.Field)
		}
	}
	if text, err = json.Marshal(left); err == nil {
		err = json.Unmarshal(text, &kept)
	}
	return kept, err
}

// orNil leaves out what is the default.
func orNil(b *bool) *bool {
	if b == nil || !*b {
		return nil
	}
	return b
}

// hclWriter writes values of the API as arguments: their names are those of the API in snake case, and Kubernetes objects without arguments
// of their own are JSON.
type hclWriter struct {
	source    api.Source
	except    []string
	variables []string
	failed    error
}

// settings returns the members of a configuration.
func (w *hclWriter) settings(config any) []argument {
	return w.members(reflect.ValueOf(config), func(name string) bool { return takes(w.source, name) && !slices.Contains(w.except, name) })
}

// members returns the members of an object that are set.
func (w *hclWriter) members(v reflect.Value, wanted func(name string) bool) (all []argument) {
	for field, value := range v.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !wanted(name) {
			continue
		}
		tokens := w.value(value)
		if env, is := reflect.TypeAssert[api.EnvVar](v); is && field.Name == "Value" && env.Value != nil {
			tokens = w.secret(env.Name)
		}
		name = snakeCase(name)
		if isJSON(field.Type) {
			name += "_json"
		}
		if tokens != nil {
			all = append(all, argument{name, tokens})
		}
	}
	return all
}

// isJSON says that an argument is JSON, or a list of it.
func isJSON(t reflect.Type) bool {
	return t == reflect.TypeFor[api.Object]() || t == reflect.TypeFor[[]api.Object]()
}

// secret is a variable in place of a value that is never shown.
func (w *hclWriter) secret(name string) hclwrite.Tokens {
	name = labelOf(name)
	w.variables = append(w.variables, name)
	return hclwrite.TokensForTraversal(hcl.Traversal{hcl.TraverseRoot{Name: "var"}, hcl.TraverseAttr{Name: name}})
}

// value writes a value; nil if it isn't set.
func (w *hclWriter) value(v reflect.Value) hclwrite.Tokens {
	switch of := v.Interface().(type) {
	case []argument:
		return objectTokens(of)
	case api.Object:
		if of == nil {
			return nil
		}
		return hclwrite.TokensForFunctionCall("jsonencode", w.json(of))
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return w.value(v.Elem())
	case reflect.Struct:
		return objectTokens(w.members(v, func(string) bool { return true }))
	case reflect.Slice:
		if v.IsNil() {
			return nil
		}
		elements := make([]hclwrite.Tokens, v.Len())
		for i := range elements {
			elements[i] = w.value(v.Index(i))
		}
		return hclwrite.TokensForTuple(elements)
	case reflect.Map:
		if v.IsNil() {
			return nil
		}
		all := make([]argument, 0, v.Len())
		for key, value := range v.Seq2() {
			all = append(all, argument{key.String(), w.value(value)})
		}
		slices.SortFunc(all, func(a, b argument) int { return strings.Compare(a.name, b.name) })
		return objectTokens(all)
	case reflect.String:
		return textTokens(v.String())
	case reflect.Bool:
		return hclwrite.TokensForValue(cty.BoolVal(v.Bool()))
	case reflect.Int64:
		return hclwrite.TokensForValue(cty.NumberIntVal(v.Int()))
	case reflect.Float64:
		return hclwrite.TokensForValue(cty.NumberFloatVal(v.Float()))
	default:
		w.failed = fmt.Errorf("a %s can't be written as an argument", v.Type())
		return nil
	}
}

// json writes a JSON object.
func (w *hclWriter) json(o api.Object) hclwrite.Tokens {
	var value ctyjson.SimpleJSONValue
	text, err := json.Marshal(o)
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil {
		w.failed = err
		return nil
	}
	return hclwrite.TokensForValue(value.Value)
}

func textTokens(text string) hclwrite.Tokens { return hclwrite.TokensForValue(cty.StringVal(text)) }

func objectTokens(of []argument) hclwrite.Tokens {
	members := make([]hclwrite.ObjectAttrTokens, len(of))
	for i, a := range of {
		name := textTokens(a.name)
		if hclsyntax.ValidIdentifier(a.name) {
			name = hclwrite.TokensForIdentifier(a.name)
		}
		members[i] = hclwrite.ObjectAttrTokens{Name: name, Value: a.value}
	}
	return hclwrite.TokensForObject(members)
}

// capitals matches where a word begins in camel case.
var capitals = regexp.MustCompile(`([a-z0-9])([A-Z])`)

func snakeCase(name string) string {
	return strings.ToLower(capitals.ReplaceAllString(name, "${1}_$2"))
}
