package functions

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// badMessage matches what messages to users must not contain: two periods, names of Go types, or %! of a verb without a value.
var badMessage = regexp.MustCompile(`[^.]\.\.(?:[^.]|$)|Go (?:value|struct)|\*?big\.|map\[|\[\]|basetypes|usage\.|json:|<nil>|%!`)

// TestErrorsAreForUsers calls every function with all kinds of wrong arguments: errors must be sentences, and contain nothing of the
// arguments, which may be sensitive.
func TestErrorsAreForUsers(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse-battery-staple"
	str := func(s string) attr.Value { return types.StringValue(strings.ReplaceAll(s, "SECRET", secret)) }
	texts := []attr.Value{
		str(``), str(`SECRET`), str(`"SECRET"`), str(`["SECRET"]`), str(`{"SECRET":`), str(`{"a":"SECRET"`), str("{\"a\":\"SECRET\xff\"}"), str(`7`),
		str(`{"messages":["SECRET"]}`), str(`{"messages":[{"role":"user","content":{"SECRET":1}}]}`), str(`{"inputs":"SECRET","id":"SECRET","start_time":"SECRET"}`),
		str(`[{"SECRET":1},"SECRET",{"time":"SECRET"}]`), str(`[{"choices":["SECRET"]}]`),
		str(`{"choices":[{"message":{"role":"assistant","audio":{"id":"a"},"other":"SECRET"}}],"more":{"a":"SECRET"}}`),
		str(strings.Repeat(`{"SECRET":`, 11_000)),
	}
	dynamics := []attr.Value{
		types.DynamicNull(), types.DynamicValue(str("SECRET")), types.DynamicValue(types.BoolValue(true)), types.DynamicValue(number(7)),
		used(t, -1, 0, 0), used(t, 1.5, 0, 0),
	}
	for _, member := range []map[string]attr.Value{
		{"model": number(7)}, {"model": str("m"), "input_tokens": str("SECRET")}, {"input_token_details": str("SECRET")}, {"SECRET": str("SECRET")},
		{"input_cost": str("SECRET")}, {"start_time": str("SECRET")}, {"input_tokens": types.BoolValue(true)},
	} {
		dynamics = append(dynamics, object(t, member))
	}
	good := prices(t, "a")
	lists := append([]attr.Value{good}, dynamics...)
	for _, change := range []map[string]attr.Value{
		{"match_pattern": str("(SECRET")}, {"match_pattern": number(7)}, {"prompt_cost": str("SECRET")}, {"prompt_cost": types.BoolValue(true)}, {"start_time": str("SECRET")},
		{"prompt_token_threshold": str("SECRET")}, {"prompt_token_threshold": number(1.5)}, {"match_path": str("SECRET")}, {"prompt_cost_details": str("SECRET")},
		{"prompt_cost_details": types.MapValueMust(types.StringType, map[string]attr.Value{"a": str("SECRET")})}, {"name": number(7)}, {"provider": types.BoolValue(true)},
		{"prompt_cost": types.StringNull()}, {"prompt_cost": str("-1")}, {"match_pattern": str("")},
	} {
		lists = append(lists, priceWith(t, change))
	}
	check := func(name string, arguments ...attr.Value) {
		_, failed := result(t, name, arguments...)
		if failed == nil {
			return
		}
		if found := badMessage.FindString(failed.Text); found != "" {
			t.Errorf("%s%s: the error contains %q: %q", name, short(arguments), found, failed.Text)
		}
		if strings.Contains(failed.Text, secret) || strings.Contains(failed.Text, secret[:5]) {
			t.Errorf("%s%s: the error contains the secret: %q", name, short(arguments), failed.Text)
		}
		if !strings.HasSuffix(failed.Text, ".") {
			t.Errorf("%s%s: the error isn't a sentence: %q", name, short(arguments), failed.Text)
		}
	}
	for _, text := range texts {
		for _, name := range []string{"model_name", "normalize_messages", "time_to_first_token", "usage", "validate_messages"} {
			check(name, text)
		}
		for _, to := range formats {
			check("convert_messages", text, str(string(to)))
		}
		for _, format := range streamFormats {
			check("reduce_stream", str(string(format)), text)
		}
		check("reduce_stream", str("a b"), text)
	}
	for _, usage := range append(dynamics, used(t, 1, 0, 0)) {
		for _, list := range lists {
			check("estimate_cost", usage, list)
		}
	}
}

func short(arguments []attr.Value) string { return fmt.Sprintf("(%.80s)", fmt.Sprint(arguments)) }
