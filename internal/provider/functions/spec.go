package functions

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// spec describes a function: its name, its parameters and result, and how it computes the result from the arguments.
type spec struct {
	name       string
	definition function.Definition
	run        runner
}

// runner computes the result of a function, which has the type that the function declares: nothing has to be converted.
type runner func(ctx context.Context, arguments function.ArgumentsData) (attr.Value, *function.FuncError)

// ofOne returns the runner of a function with one argument.
func ofOne[Argument any](compute func(Argument) (attr.Value, *function.FuncError)) runner {
	return func(ctx context.Context, arguments function.ArgumentsData) (attr.Value, *function.FuncError) {
		var argument Argument
		if failed := arguments.Get(ctx, &argument); failed != nil {
			return nil, failed
		}
		return compute(argument)
	}
}

func (s spec) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = s.name
}

func (s spec) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = s.definition
}

func (s spec) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	result, failed := s.run(ctx, req.Arguments)
	if resp.Error = failed; failed == nil {
		resp.Result = function.NewResultData(result)
	}
}

// jsonOf is a value of any type as JSON, as jsonencode writes it.
func jsonOf(value attr.Value) (json.RawMessage, error) {
	if value.IsNull() {
		return json.RawMessage("null"), nil
	}
	switch v := value.(type) {
	case types.Dynamic:
		return jsonOf(v.UnderlyingValue())
	case types.String:
		return json.Marshal(v.ValueString())
	case types.Bool:
		return json.Marshal(v.ValueBool())
	case types.Number:
		return numberText(v.ValueBigFloat()), nil
	case types.Object:
		return jsonObject(v.Attributes())
	case types.Map:
		return jsonObject(v.Elements())
	case types.List:
		return jsonArray(v.Elements())
	case types.Tuple:
		return jsonArray(v.Elements())
	case types.Set:
		return jsonArray(v.Elements())
	}
	return nil, errors.New("a value of this type can't be converted to JSON")
}

// kindOf returns the kind of a value in the words of Terraform's language.
func kindOf(value attr.Value) string {
	if value.IsNull() {
		return "null"
	}
	switch value.(type) {
	case types.String:
		return "a string"
	case types.Bool:
		return "a bool"
	case types.Number:
		return "a number"
	case types.List, types.Tuple, types.Set:
		return "a list"
	}
	return "an object"
}

// Numbers are binary in Terraform, with 512 bits. Those of a configuration have few decimal digits, which are exact; a quotient such as
// 0.15 / 1000000 has 155 digits, which are noise.
const (
	exactDigits   = 100
	roundedDigits = 12 // after the point
)

// numberText writes a number as JSON: whole numbers without an exponent, decimals exactly, and numbers with very many digits rounded.
func numberText(n *big.Float) json.RawMessage {
	if n.IsInt() {
		return json.RawMessage(n.Text('f', 0))
	}
	text := n.Text('g', -1)
	mantissa, _, _ := strings.Cut(text, "e")
	if len(mantissa) > exactDigits {
		text = strings.TrimRight(strings.TrimRight(n.Text('f', roundedDigits), "0"), ".")
	}
	return json.RawMessage(text)
}

func jsonObject(members map[string]attr.Value) (json.RawMessage, error) {
	object := make(map[string]json.RawMessage, len(members))
	for name, member := range members {
		var err error
		if object[name], err = jsonOf(member); err != nil {
			return nil, err
		}
	}
	return json.Marshal(object)
}

func jsonArray(elements []attr.Value) (json.RawMessage, error) {
	array := make([]json.RawMessage, len(elements))
	for i, element := range elements {
		var err error
		if array[i], err = jsonOf(element); err != nil {
			return nil, err
		}
	}
	return json.Marshal(array)
}
