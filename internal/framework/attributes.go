package framework

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const replaceIfKnown = "Changing this replaces the resource. An unknown value only does if it refers to something that the same " +
	"plan replaces."

// ReplaceString replaces the resource when the attribute changes to another known value. An unknown value may turn out to be the
// same; if it doesn't, Terraform stops the apply before anything is destroyed, and the plan warns of that. It is for resources whose
// replacement loses something; others have the framework's own modifier, which counts an unknown value as another one.
func ReplaceString() planmodifier.String {
	return Reference{}.ReplaceString()
}

// ReplaceString is ReplaceString for an argument that holds a reference: an unknown value will be another one if the plan replaces or
// destroys what the state refers to.
func (to Reference) ReplaceString() planmodifier.String {
	return ReplacingString{stringplanmodifier.RequiresReplaceIf(
		func(ctx context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
			if req.PlanValue.IsUnknown() {
				var workspace types.String
				if to.isName() {
					resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root(workspaceID), &workspace)...)
				}
				if !to.Goes(ctx, workspace, req.StateValue) {
					resp.Diagnostics.Append(Undecided(req.Path)...)
					return
				}
			}
			resp.RequiresReplace = true
		}, replaceIfKnown, replaceIfKnown)}
}

// NotDecided is the summary of Undecided.
const NotDecided = "Replacement not decided"

// Undecided warns that the apply may stop: a plan can't become a replacement while it is being applied.
func Undecided(at path.Path) diag.Diagnostics {
	return WarningAt(at, NotDecided, "%s will only be known during the apply. If it doesn't change, nothing is replaced. Otherwise, the apply "+
		"stops before it destroys or changes this resource; Terraform may report an inconsistent final plan. In that case, apply again: the "+
		"next plan shows the replacement.", at)
}

// ComputedString is an attribute that the service sets. A plan keeps a known value; the resource's own ModifyPlan makes the
// attribute unknown if the apply will change it.
func ComputedString(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Computed:            true,
		MarkdownDescription: description,
		PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// KeptString is an argument that keeps its value when it is removed, and that the service sets if it never was configured.
func KeptString(description string, validators ...validator.String) schema.StringAttribute {
	kept := ComputedString(description)
	kept.Optional, kept.Validators = true, validators
	return kept
}

// RequiredString is a required argument.
func RequiredString(description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Required: true, MarkdownDescription: description, Validators: validators}
}

// OptionalString is an argument that is null if it isn't configured.
func OptionalString(description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: validators}
}

// KeptBool is KeptString for a boolean.
func KeptBool(description string) schema.BoolAttribute {
	return schema.BoolAttribute{
		Optional: true, Computed: true, MarkdownDescription: description, PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
	}
}

// BoolOr is an argument with a default.
func BoolOr(byDefault bool, description string) schema.BoolAttribute {
	return schema.BoolAttribute{Optional: true, Computed: true, MarkdownDescription: description, Default: booldefault.StaticBool(byDefault)}
}

// StringOr is an argument with a default.
func StringOr(byDefault, description string, validators ...validator.String) schema.StringAttribute {
	argument := OptionalString(description, validators...)
	argument.Computed, argument.Default = true, stringdefault.StaticString(byDefault)
	return argument
}

// WriteOnly returns a secret argument that is stored neither in plans nor in state.
func WriteOnly(argument schema.StringAttribute) schema.StringAttribute {
	argument.Sensitive, argument.WriteOnly = true, true
	return argument
}

// OptionalInt64 is OptionalString for a whole number.
func OptionalInt64(description string, validators ...validator.Int64) schema.Int64Attribute {
	return schema.Int64Attribute{Optional: true, MarkdownDescription: description, Validators: validators}
}

// OptionalBool is OptionalString for a boolean.
func OptionalBool(description string) schema.BoolAttribute {
	return schema.BoolAttribute{Optional: true, MarkdownDescription: description}
}

// OptionalDuration is OptionalString for a duration.
func OptionalDuration(description string) schema.StringAttribute {
	argument := OptionalString(description, Duration())
	argument.CustomType = timetypes.GoDurationType{}
	return argument
}

// OptionalTextList is OptionalString for a list of texts.
func OptionalTextList(description string, validators ...validator.List) schema.ListAttribute {
	return schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: description, Validators: validators}
}

// OptionalTexts is OptionalString for texts by name.
func OptionalTexts(description string, validators ...validator.Map) schema.MapAttribute {
	return schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: description, Validators: validators}
}

// Replacing returns an argument that replaces the resource when it changes, also to an unknown value.
func Replacing(argument schema.StringAttribute) schema.StringAttribute {
	return modified(argument, ReplacingString{stringplanmodifier.RequiresReplace()})
}

// ReplacingKnown returns an argument that replaces the resource as ReplaceString does.
func ReplacingKnown(argument schema.StringAttribute) schema.StringAttribute {
	return modified(argument, ReplaceString())
}

func modified(argument schema.StringAttribute, modifier planmodifier.String) schema.StringAttribute {
	argument.PlanModifiers = append(argument.PlanModifiers, modifier)
	return argument
}

// OnlyReplacing is implemented by plan modifiers that do nothing but replace a resource whose attribute changes, or warn of that.
type OnlyReplacing interface{ OnlyReplaces() }

// ReplacingString is a modifier that only replaces.
type ReplacingString struct{ planmodifier.String }

// ReplacingBool is a modifier that only replaces.
type ReplacingBool struct{ planmodifier.Bool }

// ReplacingList is a modifier that only replaces.
type ReplacingList struct{ planmodifier.List }

// ReplacingMap is a modifier that only replaces.
type ReplacingMap struct{ planmodifier.Map }

// OnlyReplaces implements OnlyReplacing.
func (ReplacingString) OnlyReplaces() {}

// OnlyReplaces implements OnlyReplacing.
func (ReplacingBool) OnlyReplaces() {}

// OnlyReplaces implements OnlyReplacing.
func (ReplacingList) OnlyReplaces() {}

// OnlyReplaces implements OnlyReplacing.
func (ReplacingMap) OnlyReplaces() {}

// Computed converts the attributes of a resource into computed attributes of a data source. It keeps only the first sentence of
// each description, because the rest is about setting the attribute.
func Computed(attributes map[string]schema.Attribute, leaveOut ...string) map[string]datasource.Attribute {
	attributes = maps.Clone(attributes)
	for _, name := range leaveOut {
		delete(attributes, name)
	}
	computed := make(map[string]datasource.Attribute, len(attributes))
	for name, attribute := range attributes {
		computed[name] = computedAttribute(attribute)
	}
	return computed
}

func computedAttribute(attribute schema.Attribute) datasource.Attribute {
	description := firstSentence(attribute.GetMarkdownDescription())
	switch a := attribute.(type) {
	case schema.StringAttribute:
		return datasource.StringAttribute{Computed: true, MarkdownDescription: description, CustomType: a.CustomType, Sensitive: a.Sensitive}
	case schema.BoolAttribute:
		return datasource.BoolAttribute{Computed: true, MarkdownDescription: description}
	case schema.Int64Attribute:
		return datasource.Int64Attribute{Computed: true, MarkdownDescription: description}
	case schema.Float64Attribute:
		return datasource.Float64Attribute{Computed: true, MarkdownDescription: description}
	case schema.MapAttribute:
		return datasource.MapAttribute{Computed: true, MarkdownDescription: description, ElementType: a.ElementType, Sensitive: a.Sensitive}
	case schema.ListAttribute:
		return datasource.ListAttribute{Computed: true, MarkdownDescription: description, ElementType: a.ElementType}
	case schema.SetAttribute:
		return datasource.SetAttribute{Computed: true, MarkdownDescription: description, ElementType: a.ElementType}
	case schema.SingleNestedAttribute:
		return datasource.SingleNestedAttribute{
			Computed: true, MarkdownDescription: description, Attributes: Computed(a.Attributes), CustomType: a.CustomType,
		}
	case schema.ListNestedAttribute:
		return DataList(description, Computed(a.NestedObject.Attributes))
	case schema.MapNestedAttribute:
		return datasource.MapNestedAttribute{
			Computed: true, MarkdownDescription: description, NestedObject: ComputedObject(Computed(a.NestedObject.Attributes)),
		}
	}
	panic(fmt.Sprintf("a data source has no counterpart of %T yet", attribute))
}

// DataString is an attribute of a data source that is read from the service.
func DataString(description string) datasource.StringAttribute {
	return datasource.StringAttribute{Computed: true, MarkdownDescription: description}
}

// DataKey is an attribute of a data source by which an object can be looked up. Otherwise, it is read from the service.
func DataKey(description string, validators ...validator.String) datasource.StringAttribute {
	return datasource.StringAttribute{Optional: true, Computed: true, MarkdownDescription: description, Validators: validators}
}

// DataRequired is a required argument of a data source.
func DataRequired(description string, validators ...validator.String) datasource.StringAttribute {
	return datasource.StringAttribute{Required: true, MarkdownDescription: description, Validators: validators}
}

// DataFilter is an optional argument of a data source that selects what it reads.
func DataFilter(description string, validators ...validator.String) datasource.StringAttribute {
	return datasource.StringAttribute{Optional: true, MarkdownDescription: description, Validators: validators}
}

// DataList is the attribute of a data source with the objects that it lists.
func DataList(description string, attributes map[string]datasource.Attribute) datasource.ListNestedAttribute {
	return datasource.ListNestedAttribute{Computed: true, MarkdownDescription: description, NestedObject: ComputedObject(attributes)}
}

// ComputedObject is an object in a list or map of a data source. It has a custom type, for the reason given at WithNestedTypes.
func ComputedObject(attributes map[string]datasource.Attribute) datasource.NestedAttributeObject {
	object := datasource.NestedAttributeObject{Attributes: attributes}
	object.CustomType = object.Type()
	return object
}

// firstSentence returns the text up to the first full stop that is followed by a space.
func firstSentence(text string) string {
	if before, _, found := strings.Cut(text, ". "); found {
		return before + "."
	}
	return text
}

// WithNestedTypes returns the attributes of a schema with the type of each nested attribute as its custom type. Without a custom
// type, the framework builds the types of nested attributes again at each step of each walk over a value, which takes about half
// of the time of a plan.
func WithNestedTypes(attributes map[string]schema.Attribute) map[string]schema.Attribute {
	typed := make(map[string]schema.Attribute, len(attributes))
	for name, attribute := range attributes {
		switch a := attribute.(type) {
		case schema.SingleNestedAttribute:
			a.Attributes = WithNestedTypes(a.Attributes)
			a.CustomType, _ = a.GetType().(basetypes.ObjectTypable)
			attribute = a
		case schema.ListNestedAttribute:
			a.NestedObject = withNestedType(a.NestedObject)
			a.CustomType = types.ListType{ElemType: a.NestedObject.CustomType}
			attribute = a
		case schema.MapNestedAttribute:
			a.NestedObject = withNestedType(a.NestedObject)
			a.CustomType = types.MapType{ElemType: a.NestedObject.CustomType}
			attribute = a
		}
		typed[name] = attribute
	}
	return typed
}

func withNestedType(object schema.NestedAttributeObject) schema.NestedAttributeObject {
	object.Attributes = WithNestedTypes(object.Attributes)
	object.CustomType = object.Type()
	return object
}

// NestedTypes returns the attribute types of a nested attribute: of its object, or of the objects in its collection.
func NestedTypes(t attr.Type) map[string]attr.Type {
	if collection, ok := t.(attr.TypeWithElementType); ok {
		t = collection.ElementType()
	}
	object, ok := t.(attr.TypeWithAttributeTypes)
	if !ok {
		panic(fmt.Sprintf("%T is not the type of a nested attribute", t))
	}
	return object.AttributeTypes()
}

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

// SchemaPath returns the attribute for a location in a request body. Attributes have the API's names in snake case, with the suffix
// _json if they are JSON strings here; list indexes are kept. If the schema ends before the location, it returns the innermost
// existing attribute.
func SchemaPath(s schema.Schema, loc []api.LocStep) (path.Path, bool) {
	at, found := path.Empty(), false
	for _, step := range loc {
		next, exists := schemaStep(s, at, step)
		if !exists {
			break
		}
		at, found = next, true
	}
	return at, found
}

// schemaStep returns the attribute one step further.
func schemaStep(s schema.Schema, at path.Path, step api.LocStep) (path.Path, bool) {
	var candidates []path.Path
	if step.Index != nil {
		candidates = append(candidates, at.AtListIndex(int(*step.Index)))
	} else {
		word := snakeCase(step.Key)
		candidates = append(candidates, at.AtName(word), at.AtName(word+"_json"))
	}
	for _, next := range candidates {
		if _, diags := s.TypeAtPath(context.Background(), next); !diags.HasError() {
			return next, true
		}
	}
	return path.Empty(), false
}

// snakeCase converts the camel case of Kubernetes into snake case, and leaves snake case unchanged. An initialism is one word:
// downwardAPI becomes downward_api.
func snakeCase(word string) string {
	var b strings.Builder
	after := true // The previous rune is upper case, an underscore, or missing.
	for _, r := range word {
		if unicode.IsUpper(r) && !after {
			b.WriteByte('_')
		}
		after = unicode.IsUpper(r) || r == '_'
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
