package internal_test

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// nextVersion matches the names of Terraform versions newer than 1.11.
var nextVersion = regexp.MustCompile(`^Version1_(1[2-9]|[2-9]\d)_`)

// brokenGates checks that version checks for Terraform versions newer than 1.11 are arguments of
// providertest.VersionChecks, which ensures that make testacc ONLY=next runs the test. The harness itself is exempt.
func brokenGates(sources []source) []string {
	var broken []string
	for _, s := range sources {
		if s.pkg() == "internal/providertest" {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && selected(call.Fun, "providertest") == "VersionChecks" {
				return false
			}
			if version := selected(n, "tfversion"); nextVersion.MatchString(version) {
				broken = append(broken, fmt.Sprintf("%s: pass the check for %s through providertest.VersionChecks", s.name, version))
			}
			return true
		})
	}
	slices.Sort(broken)
	return broken
}

// selected returns the name that a node selects from a package, such as Version1_14_0.
func selected(n ast.Node, pkg string) string {
	if sel, ok := n.(*ast.SelectorExpr); ok {
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == pkg {
			return sel.Sel.Name
		}
	}
	return ""
}

func TestGates(t *testing.T) {
	t.Parallel()
	if broken := brokenGates(moduleSources(t)); broken != nil {
		t.Errorf("rules broken:\n%s", strings.Join(broken, "\n"))
	}
}

func TestBrokenGates(t *testing.T) {
	t.Parallel()
	checks := func(function, version string) string {
		return "package p\n\nvar checks = " + function + "(tfversion.SkipBelow(tfversion." + version + "))\n"
	}
	sources := madeUp(t, map[string]string{
		"internal/provider/run/right_test.go": checks("providertest.VersionChecks", "Version1_14_0"),
		"internal/provider/run/old_test.go":   checks("list", "Version1_11_0"),
		"internal/provider/run/wrong_test.go": checks("list", "Version1_12_0"),
		"internal/providertest/own_test.go":   checks("list", "Version1_14_0"),
	})
	want := []string{"internal/provider/run/wrong_test.go: pass the check for Version1_12_0 through providertest.VersionChecks"}
	if diff := cmp.Diff(want, brokenGates(sources)); diff != "" {
		t.Error(diff)
	}
}
