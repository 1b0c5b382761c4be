package pages

import (
	"reflect"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestSettable checks that every setting of the API has an argument, except those that the service or a client
// that builds archives sets.
func TestSettable(t *testing.T) {
	t.Parallel()
	setByService := map[string]bool{"repo_branch": true, "repo_commit_sha": true, "tracked_packages": true, "deepagents_version": true}
	for _, config := range []reflect.Type{reflect.TypeFor[api.SourceConfig](), reflect.TypeFor[api.SourceRevisionConfig]()} {
		for field := range config.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if _, has := settable[name]; has == setByService[name] {
				t.Errorf("%s of %s is settable: %v, want the opposite", name, config, has)
			}
		}
	}
}
