package pages

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestOneDoor checks that pages read rows only through the interfaces in rows.go.
func TestOneDoor(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if uses := strings.Contains(string(text), "c."+"Tx"); uses != (file == "rows.go") {
			t.Errorf("%s uses the transaction: %t", file, uses)
		}
	}
}

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
