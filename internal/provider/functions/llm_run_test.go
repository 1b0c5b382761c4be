package functions

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// llmFunctions are the functions about runs, with the type of their results.
var llmFunctions = map[string]struct {
	new   func() function.Function
	unset attr.Value
}{
	"convert_messages":    {NewConvertMessages, types.ObjectUnknown(convertedTypes)},
	"default_model_price": {NewDefaultModelPrice, types.ObjectUnknown(defaultPriceTypes)},
	"estimate_cost":       {NewEstimateCost, types.ObjectUnknown(costTypes)},
	"model_name":          {NewModelName, types.ObjectUnknown(modelTypes)},
	"normalize_messages":  {NewNormalizeMessages, types.ObjectUnknown(documentTypes)},
	"reduce_stream":       {NewReduceStream, types.StringUnknown()},
	"time_to_first_token": {NewTimeToFirstToken, types.Float64Unknown()},
	"usage":               {NewUsage, types.ObjectUnknown(usageTypes)},
	"validate_messages":   {NewValidateMessages, types.ListUnknown(problemType)},
}

// result calls a function by name and returns its result as JSON.
func result(t *testing.T, name string, arguments ...attr.Value) (string, *function.FuncError) {
	t.Helper()
	f := llmFunctions[name].new()
	var definition function.DefinitionResponse
	f.Definition(t.Context(), function.DefinitionRequest{}, &definition)
	var valid function.DefinitionValidateResponse
	definition.Definition.ValidateImplementation(t.Context(), function.DefinitionValidateRequest{}, &valid)
	if valid.Diagnostics.HasError() {
		t.Fatal(valid.Diagnostics)
	}
	if definition.Definition.VariadicParameter != nil {
		n := len(definition.Definition.Parameters)
		more := slices.Clone(arguments[n:])
		kinds := make([]attr.Type, len(more))
		for i := range kinds {
			kinds[i], more[i] = types.DynamicType, types.DynamicValue(more[i])
		}
		arguments = append(slices.Clone(arguments[:n]), types.TupleValueMust(kinds, more))
	}
	resp := function.RunResponse{Result: function.NewResultData(llmFunctions[name].unset)}
	f.Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData(arguments)}, &resp)
	if resp.Error != nil {
		return "", resp.Error
	}
	if number, is := resp.Result.Value().(types.Float64); is && !number.IsNull() {
		return types.NumberValue(big.NewFloat(number.ValueFloat64())).String(), nil
	}
	data, err := jsonWithoutNulls(resp.Result.Value())
	if err != nil {
		t.Fatal(err)
	}
	return data, nil
}

// jsonWithoutNulls is jsonOf for results, in which null means that the run doesn't have a member.
func jsonWithoutNulls(value attr.Value) (string, error) {
	object, is := value.(types.Object)
	if !is {
		data, err := jsonOf(value)
		return string(data), err
	}
	members := map[string]any{}
	for name, member := range object.Attributes() {
		if !member.IsNull() {
			members[name], _ = framework.JSON(member, nil)
		}
	}
	data, err := json.Marshal(members)
	return string(data), err
}

// charged is a usage with more than tokens.
func charged(t *testing.T) attr.Value {
	t.Helper()
	texts := []attr.Value{types.StringValue("batch"), types.StringValue("priority")}
	return object(t, map[string]attr.Value{
		"model": types.StringValue("m"), "input_tokens": number(10), "price_modifiers": types.ListValueMust(types.StringType, texts),
		"billed_units": types.MapValueMust(types.NumberType, map[string]attr.Value{"web_searches": number(2), "pages": number(1)}),
	})
}

func TestLLMFunctions(t *testing.T) {
	t.Parallel()
	const run = `{"run_type":"llm","start_time":"2026-05-02T10:00:00Z","inputs":{"model":"gpt-4o-mini-2024"},
		"outputs":{"usage":{"prompt_tokens":20,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":5}}},
		"events":[{"name":"new_token","time":"2026-05-02T10:00:00.350Z"}],
		"extra":{"metadata":{"ls_provider":"openai","ls_model_name":"gpt-4o-mini"}}}`
	str := func(s string) attr.Value { return types.StringValue(s) }
	for name, tc := range map[string]struct {
		function  string
		arguments []attr.Value
		want      string
	}{
		"model": {"model_name", []attr.Value{str(run)},
			`{"name":"gpt-4o-mini","provider":"openai","source":"metadata.ls_model_name"}`},
		"no model": {"model_name", []attr.Value{str(`{}`)}, `{}`},
		"usage": {"usage", []attr.Value{str(run)}, `{"input_token_details":{"cache_read":5},"input_tokens":20,
			"model":"gpt-4o-mini","output_tokens":10,"problems":[],"provider":"openai","start_time":"2026-05-02T10:00:00.000000Z","total_tokens":30}`},
		"stated costs keep their digits": {"usage", []attr.Value{str(`{"outputs":{"usage_metadata":{"input_tokens":1,"input_cost":0.0000010000000000000001,
			"input_cost_details":{"cache_read":1e-6}}}}`)},
			`{"input_cost":"0.0000010000000000000001","input_cost_details":{"cache_read":"0.000001"},"input_tokens":1,"problems":[],"total_tokens":1}`},
		"a total that doesn't add up": {"usage", []attr.Value{str(`{"outputs":{"usage":{"prompt_tokens":20,"completion_tokens":10,"total_tokens":37}}}`)},
			`{"input_tokens":20,"output_tokens":10,"problems":[{"message":"the counts add up to 30, but the total is 37","pointer":"/outputs/usage",
			"remedy":"log the usage as the provider returns it, or log usage_metadata","rule":"provider_usage"}],"total_tokens":37}`},
		"no usage":       {"usage", []attr.Value{str(`{}`)}, `{"problems":[]}`},
		"first token":    {"time_to_first_token", []attr.Value{str(run)}, "0.35"},
		"no first token": {"time_to_first_token", []attr.Value{str(`{"run_type":"llm"}`)}, "null"},
		"cost":           {"estimate_cost", []attr.Value{used(t, 20, 5, 10), prices(t, `^gpt-4o`)}, `{"completion_cost":"0.00003","cost_incomplete":[],"price":"p","prompt_cost":"0.000035","prompt_cost_details":{"cache_read":"0.000005"},"total_cost":"0.000065"}`},
		"request":        {"estimate_cost", []attr.Value{used(t, 20, 0, 0), priceWith(t, map[string]attr.Value{"match_pattern": str("."), "request_cost": str("0.5")})}, `{"completion_cost":"0","cost_incomplete":[],"price":"p","prompt_cost":"0.00004","prompt_cost_details":{"cache_read":"0"},"total_cost":"0.50004"}`},
		"list price": {"default_model_price", []attr.Value{str("gpt-4o-mini"), types.StringNull()}, `{"source":"@pydantic/genai-prices 0.1.8","date":"2026-09-23","prices":[{
			"name":"openai/gpt-4o-mini","match_pattern":"^gpt-4o-mini$","prompt_cost":"0.00000015","completion_cost":"0.0000006","prompt_cost_details":{"cache_read":"0.000000075"},
			"completion_cost_details":null,"prompt_token_threshold":null,"request_cost":null,"start_time":null,
			"unit_costs":{"web_searches":"0.01","file_searches":"0.0025"},"multipliers":{"batch":"0.5","flex":"0.5"},"incomplete":null}]}`},
		"a list price of another region": {"default_model_price", []attr.Value{str("us.anthropic.claude-2.1"), str("bedrock")}, `{"source":"@pydantic/genai-prices 0.1.8",
			"date":"2026-09-23","prices":[{"name":"anthropic/claude-2","match_pattern":"^us\\.anthropic\\.claude-2\\.1$","prompt_cost":"0.000008",
			"completion_cost":"0.000024","prompt_cost_details":null,"completion_cost_details":null,"prompt_token_threshold":null,"request_cost":null,
			"start_time":null,"unit_costs":{"web_fetches":"0"},"multipliers":{"batch":"0.5","inference_geo_us":"1.1"},
			"incomplete":"no price for the region us"}]}`},
		"charges": {"usage", []attr.Value{str(`{"run_type":"llm","outputs":{"type":"message","usage":{"input_tokens":1,"output_tokens":2,"inference_geo":"us",
			"server_tool_use":{"web_search_requests":3}}}}`)}, `{"billed_units":{"web_searches":3},"price_modifiers":["inference_geo_us"],"input_tokens":1,
			"output_tokens":2,"total_tokens":3,"problems":[]}`},
		"charged": {"estimate_cost", []attr.Value{charged(t), priceWith(t, map[string]attr.Value{"match_pattern": str("."),
			"unit_costs":  types.MapValueMust(types.StringType, map[string]attr.Value{"web_searches": str("0.5")}),
			"multipliers": types.MapValueMust(types.StringType, map[string]attr.Value{"batch": str("0.5")})})},
			`{"cost_incomplete":["no price for pages","no price for priority"],"price":"p","prompt_cost":"0.00001","total_cost":"1.00001"}`},
		"no list price":    {"default_model_price", []attr.Value{str("our-own"), str("openai")}, `{}`},
		"no price":         {"estimate_cost", []attr.Value{used(t, 20, 5, 10), prices(t, `^claude`)}, `{}`},
		"nothing is wrong": {"validate_messages", []attr.Value{str(`{"messages":[{"role":"user","content":"hi"}]}`)}, `[]`},
		"converted": {"convert_messages", []attr.Value{str(`{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"extras":{}}`), str("chat_completions")},
			`{"json":"{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}","dropped":[]}`},
		"converted, but for data": {"convert_messages", []attr.Value{str(`{"id":"x","object":"chat.completion","choices":[{"message":{"role":"assistant","content":"hi"}}]}`), str("responses")},
			`{"json":"{\"output\":[{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"hi\"}]}],\"id\":\"x\"}",
				"dropped":["/extras/object"]}`},
		"reduced": {"reduce_stream", []attr.Value{str("chat_completions"), str(`[{"choices":[{"index":0,"delta":{"role":"assistant","content":"h"}}]},
			{"choices":[{"index":0,"delta":{"content":"i"},"finish_reason":"stop"}]},{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}]`)},
			`{"choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`},
		"checked as outputs": {"validate_messages", []attr.Value{str(`{"output":[{"role":"assistant","content":"hi"}]}`), str("outputs")}, `[]`},
		"checked as inputs": {"validate_messages", []attr.Value{str(`["user","hi"]`), str("inputs")}, `[{"pointer":"","rule":"format_recognized",
			"message":"the inputs have no known format","remedy":"use one of the shapes {\"messages\": […]}, a list of {\"role\", \"content\"}, or {\"input\": …}"}]`},
		"normalised": {"normalize_messages", []attr.Value{str(`{"choices":[{"message":{"role":"assistant","content":"hi","tool_calls":[
			{"id":"c1","type":"function","function":{"name":"look","arguments":"{\"n\":1.50}"}}]}}]}`)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, failed := result(t, tc.function, tc.arguments...)
			if failed != nil {
				t.Fatal(failed)
			}
			if tc.want == "" {
				checkNormalised(t, got)
				return
			}
			if tc.function == "reduce_stream" {
				var text string
				if err := json.Unmarshal([]byte(got), &text); err != nil {
					t.Fatal(err)
				}
				got = text
			}
			var gotValue, wantValue any
			if err := json.Unmarshal([]byte(got), &gotValue); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(tc.want), &wantValue); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(wantValue, gotValue); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func checkNormalised(t *testing.T, got string) {
	t.Helper()
	var read struct {
		Format     string
		Recognized bool
		JSON       string
		Messages   []struct {
			Role, Text string
			Content    []struct {
				Type     string
				Name     *string
				ID       *string
				ArgsJSON *string `json:"args_json"`
			}
		}
	}
	if err := json.Unmarshal([]byte(got), &read); err != nil {
		t.Fatal(err)
	}
	if read.Format != "chat_completions" || !read.Recognized || !strings.Contains(read.JSON, `"tool_call"`) || len(read.Messages) != 1 {
		t.Fatalf("result = %+v, want one message in the format chat_completions", read)
	}
	message := read.Messages[0]
	if message.Role != "assistant" || message.Text != "hi" || len(message.Content) != 2 {
		t.Fatalf("message = %+v, want the assistant's hi and a call", message)
	}
	call := message.Content[1]
	if call.Type != "tool_call" || *call.Name != "look" || *call.ID != "c1" || *call.ArgsJSON != `{"n":1.50}` {
		t.Errorf("call = %+v, want look with the ID c1 and its arguments", call)
	}
}

// used returns a usage as in a configuration.
func used(t *testing.T, input, cached, output float64) attr.Value {
	t.Helper()
	details := types.ObjectValueMust(map[string]attr.Type{"cache_read": types.NumberType}, map[string]attr.Value{"cache_read": number(cached)})
	return object(t, map[string]attr.Value{
		"model": types.StringValue("gpt-4o-mini"), "provider": types.StringNull(),
		"input_tokens": number(input), "output_tokens": number(output), "input_token_details": details,
	})
}

// prices returns a list of one price, with a number and a text.
func prices(t *testing.T, pattern string) attr.Value {
	t.Helper()
	return priceWith(t, map[string]attr.Value{"match_pattern": types.StringValue(pattern)})
}

// priceWith returns a list of one price with changes.
func priceWith(t *testing.T, changes map[string]attr.Value) attr.Value {
	t.Helper()
	price := map[string]attr.Value{
		"name": types.StringValue("p"), "match_pattern": types.StringValue("."), "prompt_cost": types.StringValue("0.000002"),
		"completion_cost":     types.StringValue("0.000003"),
		"prompt_cost_details": types.MapValueMust(types.StringType, map[string]attr.Value{"cache_read": types.StringValue("0.000001")}),
	}
	maps.Copy(price, changes)
	one := object(t, price).UnderlyingValue()
	return types.DynamicValue(types.TupleValueMust([]attr.Type{one.Type(t.Context())}, []attr.Value{one}))
}

// TestNumbersKeepTheirValue computes costs of all magnitudes from texts with few digits.
func TestNumbersKeepTheirValue(t *testing.T) {
	t.Parallel()
	quotient := func(a, b string) attr.Value {
		x, _, _ := big.ParseFloat(a, 10, 512, big.ToNearestEven) // As Terraform parses and divides numbers.
		y, _, _ := big.ParseFloat(b, 10, 512, big.ToNearestEven)
		return types.NumberValue(new(big.Float).SetPrec(512).Quo(x, y))
	}
	whole := func(digits string) attr.Value { return quotient(digits, "1") }
	for name, tc := range map[string]struct {
		tokens, price attr.Value
		want          string
	}{
		"a million":                    {whole("1000000"), whole("2"), "2000000"},
		"more than a million":          {whole("1234567"), whole("2"), "2469134"},
		"as many as there can be":      {whole("9223372036854775807"), whole("1"), "9223372036854775807"},
		"a decimal":                    {whole("3"), quotient("0.000002", "1"), "0.000006"},
		"a decimal of many digits":     {whole("3"), quotient("0.0000012345678901234567890123", "1"), "0.0000037037036703703703670369"},
		"a quotient":                   {whole("2"), quotient("0.15", "1000000"), "0.0000003"},
		"a quotient of few digits":     {whole("1000000"), quotient("3", "4000000"), "0.75"},
		"a quotient that doesn't end":  {whole("3"), quotient("1", "3000000"), "0.000000999999"},
		"a quotient that is too small": {whole("3"), quotient("1", "30000000000000"), "0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			usage := object(t, map[string]attr.Value{"model": types.StringValue("m"), "input_tokens": tc.tokens})
			got, failed := result(t, "estimate_cost", usage, priceWith(t, map[string]attr.Value{"prompt_cost": tc.price}))
			if failed != nil {
				t.Fatal(failed)
			}
			if want := `"prompt_cost":"` + tc.want + `"`; !strings.Contains(got, want) {
				t.Errorf("estimate_cost = %s, want %s", got, want)
			}
		})
	}
	// A threshold is also a count.
	long := object(t, map[string]attr.Value{"model": types.StringValue("m"), "input_tokens": whole("2000001")})
	got, failed := result(t, "estimate_cost", long, priceWith(t, map[string]attr.Value{"prompt_token_threshold": whole("2000000")}))
	if failed != nil || !strings.Contains(got, `"prompt_cost":"4.000002"`) {
		t.Errorf("cost above a threshold = %s, %v; want the prompt cost 4.000002", got, failed)
	}
}

// TestEstimateCostAtItsTime checks that only the start time of a call selects the price.
func TestEstimateCostAtItsTime(t *testing.T) {
	t.Parallel()
	str := func(s string) attr.Value { return types.StringValue(s) }
	list := func(starts ...string) attr.Value {
		var all []attr.Value
		var kinds []attr.Type
		for i, start := range starts {
			one := priceWith(t, map[string]attr.Value{
				"name": str(start), "match_pattern": str("^m$"), "prompt_cost": number(float64(i + 1)), "start_time": str(start),
			}).(types.Dynamic).UnderlyingValue().(types.Tuple).Elements()[0]
			all, kinds = append(all, one), append(kinds, one.Type(t.Context()))
		}
		return types.DynamicValue(types.TupleValueMust(kinds, all))
	}
	both := list("2026-01-01T00:00:00Z", "2999-01-01T00:00:00Z")
	usage := func(more map[string]attr.Value) attr.Value {
		members := map[string]attr.Value{"model": str("m"), "input_tokens": number(10)}
		maps.Copy(members, more)
		return object(t, members)
	}
	for name, tc := range map[string]struct {
		usage attr.Value
		want  string
	}{
		"before both":           {usage(map[string]attr.Value{"start_time": str("2025-12-31T23:59:59.999999Z")}), `{}`},
		"as the first begins":   {usage(map[string]attr.Value{"start_time": str("2026-01-01T00:00:00.000000Z")}), `"prompt_cost":"10"`},
		"between":               {usage(map[string]attr.Value{"start_time": str("2998-12-31T00:00:00+00:00")}), `"prompt_cost":"10"`},
		"in the far future":     {usage(map[string]attr.Value{"start_time": str("2999-01-01T00:00:00Z")}), `"prompt_cost":"20"`},
		"another model":         {usage(map[string]attr.Value{"model": str("n")}), `{}`},
		"a total that is given": {usage(map[string]attr.Value{"total_cost": str("7")}), `"total_cost":"7"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, failed := result(t, "estimate_cost", tc.usage, both); failed != nil || !strings.Contains(got, tc.want) {
				t.Errorf("estimate_cost = %s, %v; want %s", got, failed, tc.want)
			}
		})
	}
	for name, undated := range map[string]attr.Value{"no time": usage(nil), "null": usage(map[string]attr.Value{"start_time": types.StringNull()})} {
		if got, failed := result(t, "estimate_cost", undated, both); failed == nil || !strings.Contains(failed.Text, "The usage has no start_time") {
			t.Errorf("%s: estimate_cost = %s, %v; want an error about the missing start_time", name, got, failed)
		}
	}
}

// options is an object with options.
func options(t *testing.T, members map[string]attr.Value) attr.Value {
	t.Helper()
	return object(t, members).UnderlyingValue()
}

// TestOptions calls functions with each option, with an option that is null, and with the side alone.
func TestOptions(t *testing.T) {
	t.Parallel()
	str := func(s string) attr.Value { return types.StringValue(s) }
	const list = `[{"role":"assistant","content":"hi"}]`
	const chat = `{"messages":[{"role":"user","content":"hi"}],"seed":1}`
	for name, tc := range map[string]struct {
		function  string
		arguments []attr.Value
		want      string
	}{
		"side": {"convert_messages", []attr.Value{str(list), str("messages"), options(t, map[string]attr.Value{"side": str("outputs"), "lossy": types.BoolNull()})},
			`{"dropped":[],"json":"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}"}`},
		"side alone": {"convert_messages", []attr.Value{str(list), str("messages"), str("outputs")},
			`{"dropped":[],"json":"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}"}`},
		"side in a map": {"convert_messages", []attr.Value{str(list), str("messages"), types.MapValueMust(types.StringType, map[string]attr.Value{"side": str("inputs")})},
			`{"dropped":[],"json":"{\"messages\":[{\"role\":\"assistant\",\"content\":\"hi\"}]}"}`},
		"lossy": {"convert_messages", []attr.Value{str(chat), str("messages"), options(t, map[string]attr.Value{"lossy": types.BoolValue(true)})},
			`{"dropped":["/extras/seed"],"json":"{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"}`},
		"format": {"validate_messages", []attr.Value{str(chat), options(t, map[string]attr.Value{"format": str("chat_completions")})}, `[]`},
		"another format": {"validate_messages", []attr.Value{str(chat), options(t, map[string]attr.Value{"format": str("native"), "side": str("inputs")})},
			`[{"message":"the inputs have the format chat_completions, not native","pointer":"",` +
				`"remedy":"pass inputs in the format native; the function convert_messages converts them","rule":"format_expected"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, failed := result(t, tc.function, tc.arguments...)
			if failed != nil {
				t.Fatal(failed)
			}
			if got != tc.want {
				t.Errorf("%s = %s, want %s", tc.function, got, tc.want)
			}
		})
	}
}

func TestLLMFunctionsFailOnTheRightArgument(t *testing.T) {
	t.Parallel()
	str := func(s string) attr.Value { return types.StringValue(s) }
	dynamic := func(v attr.Value) attr.Value { return types.DynamicValue(v) }
	const chat = `{"choices":[{"message":{"role":"assistant","content":"hi","audio":{"id":"a"}}}]}`
	for name, tc := range map[string]struct {
		function  string
		arguments []attr.Value
		argument  int64
		want      string
	}{
		"model of no JSON":      {"model_name", []attr.Value{str(`{`)}, 0, "The value is not a run as a JSON object"},
		"model of a list":       {"model_name", []attr.Value{str(`[]`)}, 0, "The value is not a run as a JSON object"},
		"usage of no run":       {"usage", []attr.Value{str(`7`)}, 0, "The value is not a run as a JSON object"},
		"first token of no run": {"time_to_first_token", []attr.Value{str(``)}, 0, "The value is not a run as a JSON object"},
		"messages of no JSON":   {"normalize_messages", []attr.Value{str(`{`)}, 0, "The value is not JSON"},
		"checking no JSON":      {"validate_messages", []attr.Value{str(`{`)}, 0, "The value is not JSON"},
		"converting no JSON":    {"convert_messages", []attr.Value{str(`{`), str("native")}, 0, "The value is not JSON"},
		"unknown format": {"convert_messages", []attr.Value{str(`{}`), str("openai")}, 1,
			`"openai" is not an output format: use one of native, chat_completions, messages, responses.`},
		"no side":              {"normalize_messages", []attr.Value{str(`{}`), str("answer")}, 1, `"answer" is not a side of a run: use inputs or outputs.`},
		"two sides":            {"validate_messages", []attr.Value{str(`{}`), str("inputs"), str("outputs")}, 2, "Specify at most one side"},
		"side of a conversion": {"convert_messages", []attr.Value{str(`{}`), str("native"), str("both")}, 2, "is not a side of a run"},
		"unknown option": {"convert_messages", []attr.Value{str(`{}`), str("native"), options(t, map[string]attr.Value{"losy": types.BoolValue(true)})}, 2,
			`"losy" is not an option of this function: use side or lossy.`},
		"option of another function": {"normalize_messages", []attr.Value{str(`{}`), options(t, map[string]attr.Value{"lossy": types.BoolValue(true)})}, 1,
			`"lossy" is not an option of this function: use side.`},
		"lossy as a string": {"convert_messages", []attr.Value{str(`{}`), str("native"), options(t, map[string]attr.Value{"lossy": str("true")})}, 2,
			"lossy is a string, not a bool: use true or false."},
		"side in an object": {"validate_messages", []attr.Value{str(`{}`), options(t, map[string]attr.Value{"side": str("answer")})}, 1, `"answer" is not a side of a run`},
		"a bool as a side":  {"validate_messages", []attr.Value{str(`{}`), types.BoolValue(true)}, 1, "A bool is not a side of a run: use inputs or outputs."},
		"unknown format to demand": {"validate_messages", []attr.Value{str(`{}`), options(t, map[string]attr.Value{"format": str("openai")})}, 1,
			`"openai" is not a format of messages: use one of `},
		"two options":        {"convert_messages", []attr.Value{str(`{}`), str("native"), str("inputs"), options(t, nil)}, 3, "Specify at most one side or one object with options."},
		"lossy, but unknown": {"convert_messages", []attr.Value{str(`{"a":1}`), str("messages"), options(t, map[string]attr.Value{"lossy": types.BoolValue(true)})}, 0, "not recognized"},
		"a loss":             {"convert_messages", []attr.Value{str(chat), str("messages")}, 0, "Remove it, choose another format, or pass { lossy = true } to omit it."},
		"no usage":           {"estimate_cost", []attr.Value{dynamic(str("20")), dynamic(str("[]"))}, 0, "The value is not a usage"},
		"negative usage":     {"estimate_cost", []attr.Value{used(t, -1, 0, 0), prices(t, "a")}, 0, "The value is not a usage"},
		"no prices":          {"estimate_cost", []attr.Value{used(t, 1, 0, 0), dynamic(str("free"))}, 1, "The prices are invalid: it must be a list, not a string."},
		"one price":          {"estimate_cost", []attr.Value{used(t, 1, 0, 0), object(t, map[string]attr.Value{"name": str("p")})}, 1, "must be a list, not an object."},
		"bad pattern":        {"estimate_cost", []attr.Value{used(t, 1, 0, 0), prices(t, "(")}, 1, "The prices are invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, failed := result(t, tc.function, tc.arguments...)
			if failed == nil {
				t.Fatalf("result = %s, want an error", got)
			}
			if failed.FunctionArgument == nil || *failed.FunctionArgument != tc.argument || !strings.Contains(failed.Text, tc.want) {
				t.Errorf("error = %v for argument %v, want %q for %d", failed.Text, failed.FunctionArgument, tc.want, tc.argument)
			}
		})
	}
}
