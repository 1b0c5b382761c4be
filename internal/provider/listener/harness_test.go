package listener_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// seeded is the compute_id of the listener that every dev server starts with.
const seeded = "dev-cluster"

// register makes a listener, as installing it in a cluster does.
func register(plane *providertest.Plane, computeID string, namespaces ...string) {
	plane.Call("POST", "/dev/listeners", map[string]any{"compute_id": computeID, "k8s_namespaces": namespaces}, nil)
}

// words matches an error whose text holds the words in that order, however it is wrapped and framed.
func words(words string) *regexp.Regexp {
	fields := strings.Fields(words)
	for i, field := range fields {
		fields[i] = regexp.QuoteMeta(field)
	}
	return regexp.MustCompile(strings.Join(fields, `[\s│]+`))
}

// expectQueries looks at the pages that were asked for. Terraform reads a data source several times, so how often says
// nothing.
func expectQueries(plane *providertest.Plane, want []string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		var got []string
		for _, request := range plane.Requests("GET", "/v2/listeners") {
			got = append(got, request.Query)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
			return fmt.Errorf("other pages were asked for:\n%s", diff)
		}
		return nil
	}
}
