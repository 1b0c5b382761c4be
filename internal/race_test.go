package internal_test

import (
	"go/ast"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// raceFile lists the packages whose tests run under the race detector. It multiplies the CPU time, and data races need shared
// state. Other packages are instrumented too if a listed package uses them.
const raceFile = "../.ci/race-packages"

// raceExempt lists packages with shared state whose tests don't all run with the race detector, and why.
var raceExempt = map[string]string{
	"./internal/cmd/devserver":            "it only waits for signals, and for the end of a listener",
	"./internal/devserver/devservertest":  "only tests use it",
	"./internal/devserver/postgrestest":   "only tests use it",
	"./internal/provider/agentconnection": "even without its locks, the race detector finds nothing in its tests",
	"./internal/providertest":             "only tests use it",
}

// initialized lists the functions of package sync for values that are computed once and only read afterwards.
var initialized = []string{"OnceFunc", "OnceValue", "OnceValues"}

// concurrency returns why the code of a file can race: it has goroutines, channels, locks or atomics, or it changes
// package-level variables. It returns an empty string if there is no reason.
func concurrency(file *ast.File, variables []string) string {
	found := ""
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = "starts a goroutine"
		case *ast.ChanType, *ast.SendStmt:
			found = "has a channel"
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				found = "has a channel"
			}
		case *ast.SelectorExpr:
			if name := selected(n, "sync"); name != "" && !slices.Contains(initialized, name) {
				found = "uses sync." + name
			}
			if name := selected(n, "atomic"); name != "" {
				found = "uses atomic." + name
			}
		case *ast.AssignStmt:
			for _, target := range n.Lhs {
				if name := root(target); name != "_" && n.Tok != token.DEFINE && slices.Contains(variables, name) {
					found = "changes the variable " + name
				}
			}
		case *ast.IncDecStmt:
			if name := root(n.X); slices.Contains(variables, name) {
				found = "changes the variable " + name
			}
		}
		return found == ""
	})
	return found
}

// root returns the name of the variable that an assignment to an expression changes.
func root(target ast.Expr) string {
	switch e := target.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.IndexExpr:
		return root(e.X)
	case *ast.SelectorExpr:
		return root(e.X)
	case *ast.StarExpr:
		return root(e.X)
	case *ast.ParenExpr:
		return root(e.X)
	}
	return ""
}

// racy returns the packages that have shared state, with the reason. It mistakes a local variable for the package-level
// variable of the same name.
func racy(sources []source) map[string]string {
	variables := map[string][]string{}
	for _, s := range sources {
		for _, d := range s.ast.Decls {
			declared, ok := d.(*ast.GenDecl)
			if !ok || declared.Tok != token.VAR || s.isTest() {
				continue
			}
			for _, spec := range declared.Specs {
				if values, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range values.Names {
						variables[s.pkg()] = append(variables[s.pkg()], name.Name)
					}
				}
			}
		}
	}
	found := map[string]string{}
	for _, s := range sources {
		if reason := concurrency(s.ast, variables[s.pkg()]); reason != "" && !s.isTest() {
			found["./"+s.pkg()] = s.name + " " + reason
		}
	}
	return found
}

func TestRaceFile(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(raceFile)
	if err != nil {
		t.Fatal(err)
	}
	listed := strings.Fields(string(content))
	found := racy(moduleSources(t))
	for pkg, reason := range found {
		if _, exempt := raceExempt[pkg]; exempt == slices.Contains(listed, pkg) {
			t.Errorf("list %s either in %s or in raceExempt: %s", pkg, raceFile, reason)
		}
	}
	for _, pkg := range slices.AppendSeq(listed, maps.Keys(raceExempt)) {
		// Its tests may run the packages below it.
		below := slices.ContainsFunc(slices.Collect(maps.Keys(found)), func(other string) bool { return strings.HasPrefix(other, pkg+"/") })
		if _, ok := found[pkg]; !ok && !below {
			t.Errorf("%s has no shared state: remove it from %s or raceExempt", pkg, raceFile)
		}
	}
}

func TestRacy(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ code, want string }{
		"pure":              {"func f() int { x := 1; x++; return x }", ""},
		"goroutine":         {"func f() { go f() }", "starts a goroutine"},
		"channel":           {"type t struct { c chan int }", "has a channel"},
		"receive":           {"func f(c t) { <-c.done }", "has a channel"},
		"lock":              {"import \"sync\"; var m sync.Mutex", "uses sync.Mutex"},
		"computed once":     {"import \"sync\"; var f = sync.OnceValue(g)", ""},
		"atomic":            {"import \"sync/atomic\"; type t struct { n atomic.Int64 }", "uses atomic.Int64"},
		"constant variable": {"var names = []string{}; func f() int { return len(names) }", ""},
		"variable":          {"var n int; func f() { n = 1 }", "changes the variable n"},
		"counter":           {"var n int; func f() { n++ }", "changes the variable n"},
		"entry of a map":    {"var m = map[string]int{}; func f() { m[\"a\"] += 1 }", "changes the variable m"},
		"field":             {"var v struct{ p *t }; func f() { (*v.p).n = 1 }", "changes the variable v"},
		"checked interface": {"var _ i = t{}; func f() { _ = t{} }", ""},
		"new variable":      {"var n int; func f() { n := 1; _ = n }", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := map[string]string{}
			if tc.want != "" {
				want["./internal/p"] = "internal/p/p.go " + tc.want
			}
			sources := madeUp(t, map[string]string{
				"internal/p/p.go":      "package p\n" + tc.code,
				"internal/p/p_test.go": "package p\nfunc g() { go g() }",
			})
			if diff := cmp.Diff(want, racy(sources)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
