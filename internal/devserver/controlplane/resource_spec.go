package controlplane

import (
	"reflect"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
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

// rounded returns the spec as it is kept: some numbers of cores have one decimal.
func rounded(s api.ResourceSpec) api.ResourceSpec {
	fields := reflect.ValueOf(&s).Elem()
	for i := range fields.NumField() {
		if cores, is := reflect.TypeAssert[*api.CPU](fields.Field(i)); is && cores != nil {
			kept := api.RoundedCPU(form.WireField(fields.Type().Field(i)).Name, *cores)
			fields.Field(i).Set(reflect.ValueOf(&kept))
		}
	}
	return s
}
