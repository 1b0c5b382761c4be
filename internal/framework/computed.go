package framework

import (
	"fmt"
	"maps"
	"strings"

	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// Computed converts the attributes of a resource into computed attributes of a data source. It keeps only the first sentence of
// each description, because the rest is about setting the attribute.
func Computed(attributes map[string]resource.Attribute, leaveOut ...string) map[string]datasource.Attribute {
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

func computedAttribute(attribute resource.Attribute) datasource.Attribute {
	description := firstSentence(attribute.GetMarkdownDescription())
	switch a := attribute.(type) {
	case resource.StringAttribute:
		return datasource.StringAttribute{Computed: true, MarkdownDescription: description, CustomType: a.CustomType, Sensitive: a.Sensitive}
	case resource.BoolAttribute:
		return datasource.BoolAttribute{Computed: true, MarkdownDescription: description}
	case resource.Int64Attribute:
		return datasource.Int64Attribute{Computed: true, MarkdownDescription: description}
	case resource.Float64Attribute:
		return datasource.Float64Attribute{Computed: true, MarkdownDescription: description}
	case resource.MapAttribute:
		return datasource.MapAttribute{Computed: true, MarkdownDescription: description, ElementType: a.ElementType, Sensitive: a.Sensitive}
	case resource.ListAttribute:
		return datasource.ListAttribute{Computed: true, MarkdownDescription: description, ElementType: a.ElementType}
	case resource.SetAttribute:
		return datasource.SetAttribute{Computed: true, MarkdownDescription: description, ElementType: a.ElementType}
	case resource.SingleNestedAttribute:
		return datasource.SingleNestedAttribute{
			Computed: true, MarkdownDescription: description, Attributes: Computed(a.Attributes), CustomType: a.CustomType,
		}
	case resource.ListNestedAttribute:
		return DataList(description, Computed(a.NestedObject.Attributes))
	case resource.MapNestedAttribute:
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
