package functions

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// messageOptions are the options of a function about messages. Functions have no named arguments: options are members of an
// object, which is the last argument, or the side alone.
type messageOptions struct {
	// side is nil if the structure of the messages decides.
	side   *document.Side
	lossy  bool
	format document.Format
}

// The names of options.
const (
	optionSide   = "side"
	optionLossy  = "lossy"
	optionFormat = "format"
)

// optionsParameter is the last, optional parameter of a function about messages; more describes its options other than the side.
func optionsParameter(more string) function.Parameter {
	return function.DynamicParameter{
		Name: "options",
		MarkdownDescription: "`\"inputs\"` or `\"outputs\"`: what the JSON is. If omitted, the structure of the JSON " +
			"decides, which is ambiguous for a bare list of messages. Or an object with options:\n" +
			"  - `side`: `\"inputs\"` or `\"outputs\"`." + more,
	}
}

// readOptions reads the arguments of an optionsParameter, of which the first is at a position.
func readOptions(given types.Tuple, at int64, names ...string) (messageOptions, *function.FuncError) {
	var read messageOptions
	arguments := given.Elements()
	switch {
	case len(arguments) == 0:
		return read, nil
	case len(arguments) > 1:
		return read, function.NewArgumentFuncError(at+1, "Specify at most one side or one object with options.")
	}
	value := underlying(arguments[0])
	var members map[string]attr.Value
	switch v := value.(type) {
	case types.Object:
		members = v.Attributes()
	case types.Map:
		members = v.Elements()
	default:
		members = map[string]attr.Value{optionSide: value}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := underlying(members[name])
		switch {
		case !slices.Contains(append(names, optionSide), name):
			return read, function.NewArgumentFuncError(at, fmt.Sprintf("%s is not an option of this function: use %s.",
				rawjson.Name(name), strings.Join(append([]string{optionSide}, names...), " or ")))
		case value.IsNull():
			continue
		}
		if problem := read.set(name, value); problem != "" {
			return read, function.NewArgumentFuncError(at, problem)
		}
	}
	return read, nil
}

func underlying(value attr.Value) attr.Value {
	if dynamic, is := value.(types.Dynamic); is {
		if dynamic.IsNull() || dynamic.UnderlyingValue() == nil {
			return types.StringNull()
		}
		return dynamic.UnderlyingValue()
	}
	return value
}

// set sets an option. It returns the problem of an invalid value.
func (o *messageOptions) set(name string, value attr.Value) (problem string) {
	if name == optionLossy {
		lossy, is := value.(types.Bool)
		o.lossy = lossy.ValueBool()
		if !is {
			return "lossy is " + kindOf(value) + ", not a bool: use true or false."
		}
		return ""
	}
	text, is := value.(types.String)
	shown := rawjson.Name(text.ValueString())
	if !is {
		shown = kindOf(value)
		shown = strings.ToUpper(shown[:1]) + shown[1:]
	}
	if name == optionFormat {
		if o.format = document.Format(text.ValueString()); !slices.Contains(message.Formats(), o.format) {
			return fmt.Sprintf("%s is not a format of messages: use one of %s.", shown, choices(message.Formats()))
		}
		return ""
	}
	for _, side := range []document.Side{document.Inputs, document.Outputs} {
		if is && text.ValueString() == side.String() {
			o.side = &side
			return ""
		}
	}
	return shown + " is not a side of a run: use inputs or outputs."
}

// readDocument reads the argument of a messagesParameter.
func (o *messageOptions) readDocument(text string) (*document.Document, *function.FuncError) {
	var read *document.Document
	var err error
	if o.side == nil {
		read, err = message.NormalizeEither([]byte(text))
	} else {
		read, err = message.Normalize([]byte(text), *o.side)
	}
	if err != nil {
		return nil, function.NewArgumentFuncError(0, fmt.Sprintf("The value is not JSON: %s.", err))
	}
	return read, nil
}
