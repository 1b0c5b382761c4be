package core

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// builtin are the functions of the language that test configurations call.
var builtin = map[string]function.Function{
	"coalesce":   stdlib.CoalesceFunc,
	"concat":     stdlib.ConcatFunc,
	"contains":   stdlib.ContainsFunc,
	"format":     stdlib.FormatFunc,
	"join":       stdlib.JoinFunc,
	"jsondecode": stdlib.JSONDecodeFunc,
	"jsonencode": stdlib.JSONEncodeFunc,
	"keys":       stdlib.KeysFunc,
	"length":     stdlib.LengthFunc,
	"lookup":     lookup,
	"merge":      stdlib.MergeFunc,
	"one":        one,
	"range":      stdlib.RangeFunc,
	"split":      stdlib.SplitFunc,
	"startswith": startsWith,
	"trimprefix": stdlib.TrimPrefixFunc,
	"values":     stdlib.ValuesFunc,
}

// startsWith reports whether a text begins with another one.
var startsWith = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "text", Type: cty.String}, {Name: "prefix", Type: cty.String}},
	Type:   function.StaticReturnType(cty.Bool),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		return cty.BoolVal(strings.HasPrefix(args[0].AsString(), args[1].AsString())), nil
	},
})

// one returns the only element of a list, or null for an empty one.
var one = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType}},
	Type:   function.StaticReturnType(cty.DynamicPseudoType),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		switch all := args[0].AsValueSlice(); len(all) {
		case 0:
			return cty.NullVal(cty.DynamicPseudoType), nil
		case 1:
			return all[0], nil
		}
		return cty.NilVal, errors.New("must be a list with at most one element")
	},
})

// lookup is the language's own: its default may be null.
var lookup = function.New(&function.Spec{
	Params: []function.Parameter{
		{Name: "map", Type: cty.DynamicPseudoType, AllowDynamicType: true},
		{Name: "key", Type: cty.String},
		{Name: "default", Type: cty.DynamicPseudoType, AllowNull: true, AllowDynamicType: true},
	},
	Type: func(args []cty.Value) (cty.Type, error) {
		switch ty := args[0].Type(); {
		case ty.IsMapType():
			return ty.ElementType(), nil
		case ty.IsObjectType() && args[1].IsKnown() && ty.HasAttribute(args[1].AsString()):
			return ty.AttributeType(args[1].AsString()), nil
		}
		return args[2].Type(), nil
	},
	Impl: func(args []cty.Value, result cty.Type) (cty.Value, error) {
		key := args[1].AsString()
		switch ty := args[0].Type(); {
		case ty.IsMapType() && args[0].HasIndex(args[1]).True():
			return args[0].Index(args[1]), nil
		case ty.IsObjectType() && ty.HasAttribute(key):
			return args[0].GetAttr(key), nil
		case args[2].IsNull():
			return cty.NullVal(result), nil
		}
		return args[2], nil
	},
})

// functions are those of a provider, by their names in configurations.
func (s *server) functions(ctx context.Context, local string) (map[string]function.Function, error) {
	all := map[string]function.Function{}
	for name, definition := range s.callable {
		f, err := s.function(ctx, name, definition)
		if err != nil {
			return nil, err
		}
		all["provider::"+local+"::"+name] = f
	}
	return all, nil
}

func (s *server) function(ctx context.Context, name string, definition *tfprotov6.Function) (function.Function, error) {
	result, err := ctyType(definition.Return.Type)
	if err != nil {
		return function.Function{}, err
	}
	spec := &function.Spec{Type: function.StaticReturnType(result)}
	parameter := func(p *tfprotov6.FunctionParameter) (function.Parameter, error) {
		ty, err := ctyType(p.Type)
		return function.Parameter{Name: p.Name, Type: ty, AllowNull: p.AllowNullValue, AllowUnknown: p.AllowUnknownValues}, err
	}
	for _, p := range definition.Parameters {
		made, err := parameter(p)
		if err != nil {
			return function.Function{}, err
		}
		spec.Params = append(spec.Params, made)
	}
	if definition.VariadicParameter != nil {
		made, err := parameter(definition.VariadicParameter)
		if err != nil {
			return function.Function{}, err
		}
		spec.VarParam = &made
	}
	spec.Impl = func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		call := &tfprotov6.CallFunctionRequest{Name: name}
		for i, arg := range args {
			declared := spec.VarParam
			if i < len(spec.Params) {
				declared = &spec.Params[i]
			}
			encoded, err := encode(arg, declared.Type)
			if err != nil {
				return cty.NilVal, err
			}
			call.Arguments = append(call.Arguments, encoded)
		}
		answer, err := s.rpc.CallFunction(ctx, call)
		switch {
		case err != nil:
			return cty.NilVal, err
		case answer.Error != nil && answer.Error.FunctionArgument != nil:
			return cty.NilVal, function.NewArgErrorf(int(*answer.Error.FunctionArgument), "%s", answer.Error.Text)
		case answer.Error != nil:
			return cty.NilVal, errors.New(answer.Error.Text)
		}
		return decode(answer.Result, result)
	}
	return function.New(spec), nil
}
