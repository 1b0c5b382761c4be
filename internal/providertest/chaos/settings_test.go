package chaos

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
)

// settings are what an object is configured to, or what the service holds of that, as texts by their names. Everything
// that isn't configured is left out of both, but for variables, if the configuration is the only one to say them.
type settings map[string]string

// variable begins the names of the settings that variables are, and variableMaps are the arguments that have them.
const variable = "variable "

var variableMaps = []string{"environment", "secrets", "secrets_wo"}

// differences are the names of the settings in which two differ, with both values.
func differences(want, got settings) map[string]string {
	wrong := map[string]string{}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(got))) {
		if want[name] != got[name] {
			wrong[name] = fmt.Sprintf("%s is %q, not %q", name, got[name], want[name])
		}
	}
	return wrong
}

func canonical(value any) any {
	switch v := value.(type) {
	case map[string]any:
		same := map[string]any{}
		for name, member := range v {
			if member != nil { // The service shows null for what isn't set.
				same[name] = canonical(member)
			}
		}
		return same
	case []any:
		same := make([]any, len(v))
		for i, element := range v {
			same[i] = canonical(element)
		}
		return same
	case string:
		if number, ok := new(big.Rat).SetString(v); ok {
			return number.RatString()
		}
	case json.Number:
		return canonical(v.String())
	case float64:
		return canonical(strconv.FormatFloat(v, 'f', -1, 64))
	case int:
		return canonical(fmt.Sprint(v))
	}
	return value
}

func encoded(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func text(body map[string]any, name string) string {
	value, _ := body[name].(string)
	return value
}
