package protocol

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// left are the interfaces whose implementations are left to the framework, because they change its answers in ways that this package
// doesn't know.
var left = []reflect.Type{
	reflect.TypeFor[resource.ResourceWithConfigValidators](),
	reflect.TypeFor[datasource.DataSourceWithConfigValidators](),
	reflect.TypeFor[datasource.DataSourceWithValidateConfig](),
}

// TestInterfaces finds the interfaces by which the framework recognizes what a resource or data source can do. A resource behind this
// server would lose what its wrapper doesn't implement, unless it is left to the framework.
func TestInterfaces(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pkg, prefix string
		known       []reflect.Type
		wrapper     reflect.Type
	}{
		{"resource", "ResourceWith", []reflect.Type{
			reflect.TypeFor[resource.ResourceWithConfigValidators](), reflect.TypeFor[resource.ResourceWithConfigure](),
			reflect.TypeFor[resource.ResourceWithIdentity](), reflect.TypeFor[resource.ResourceWithImportState](),
			reflect.TypeFor[resource.ResourceWithModifyPlan](), reflect.TypeFor[resource.ResourceWithMoveState](),
			reflect.TypeFor[resource.ResourceWithUpgradeIdentity](), reflect.TypeFor[resource.ResourceWithUpgradeState](),
			reflect.TypeFor[resource.ResourceWithValidateConfig](),
		}, reflect.TypeFor[repeatingIdentified]()},
		{"datasource", "DataSourceWith", []reflect.Type{
			reflect.TypeFor[datasource.DataSourceWithConfigValidators](), reflect.TypeFor[datasource.DataSourceWithConfigure](),
			reflect.TypeFor[datasource.DataSourceWithValidateConfig](),
		}, reflect.TypeFor[repeatingDataSource]()},
	} {
		t.Run(test.pkg, func(t *testing.T) {
			t.Parallel()
			var names []string
			for _, known := range test.known {
				names = append(names, known.Name())
				if !slices.Contains(left, known) && !test.wrapper.Implements(known) {
					t.Errorf("%s doesn't implement %s: implement it, or leave such a %s to the framework", test.wrapper, known, test.pkg)
				}
			}
			if diff := cmp.Diff(names, interfacesOf(t, test.pkg, test.prefix)); diff != "" {
				t.Errorf("interfaces that are known here, and those of the framework (-here +there):\n%s", diff)
			}
		})
	}
}

// interfacesOf returns the sorted names of a framework package's interfaces with a prefix.
func interfacesOf(t *testing.T, pkg, prefix string) []string {
	t.Helper()
	listed, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "github.com/hashicorp/terraform-plugin-framework/"+pkg).Output()
	if err != nil {
		t.Fatal(err)
	}
	directory := strings.TrimSpace(string(listed))
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(directory, entry.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if declared, ok := n.(*ast.TypeSpec); ok && strings.HasPrefix(declared.Name.Name, prefix) {
				names = append(names, declared.Name.Name)
			}
			return true
		})
	}
	slices.Sort(names)
	return names
}
