package controlplane

import (
	"reflect"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// withDefaults sets the fields that are derived from others. The defaults of these others are not documented, so there are none.
func withDefaults(s api.ResourceSpec, derived []api.DerivedField) api.ResourceSpec {
	fields := reflect.ValueOf(&s).Elem()
	for _, d := range derived {
		from, to := memberOf(fields, d.From), memberOf(fields, d.Field)
		if from.IsNil() || !to.IsNil() {
			continue
		}
		value := reflect.New(to.Type().Elem())
		if value.Elem().CanInt() {
			value.Elem().SetInt(from.Elem().Int() * d.Factor)
		} else {
			value.Elem().SetFloat(from.Elem().Float() * float64(d.Factor))
		}
		to.Set(value)
	}
	return s
}
