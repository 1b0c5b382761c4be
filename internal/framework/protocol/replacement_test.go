package protocol

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestTextAt(t *testing.T) {
	t.Parallel()
	attribute := tftypes.NewAttributePath().WithAttributeName("source").WithAttributeName("uri")
	object := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"source": tftypes.Object{AttributeTypes: map[string]tftypes.Type{"uri": tftypes.String}}}}
	nothing := tftypes.NewValue(object, map[string]tftypes.Value{"source": tftypes.NewValue(object.AttributeTypes["source"], nil)})
	if text, is := textAt(nothing, attribute); text != "null" || !is {
		t.Errorf("textAt in an object that is null = %q, %t, want null", text, is)
	}
	if text, is := textAt(tftypes.NewValue(tftypes.Number, 1), tftypes.NewAttributePath()); is {
		t.Errorf("textAt of a number = %q, want no text", text)
	}
}
