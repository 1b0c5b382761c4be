package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	// verb matches what is known only at run time and is replaced with "…".
	verb = regexp.MustCompile(`"?%\[?\d*\]?[a-z]"?|"…"`)
	// diagnosticMakers are the functions of the plugin framework and of ours, with the index of the summary among the arguments.
	diagnosticMakers = map[string]int{
		"AddError": 0, "AddWarning": 0, "NewErrorDiagnostic": 0, "NewWarningDiagnostic": 0,
		"AddAttributeError": 1, "AddAttributeWarning": 1, "NewAttributeErrorDiagnostic": 1, "NewAttributeWarningDiagnostic": 1,
		"NewError": 0, "NewWarning": 0, "ErrorAt": 1, "WarningAt": 1,
	}
)

// summaries returns the summaries of all diagnostics in the packages below the roots. A function with a parameter "summary"
// also makes diagnostics.
func summaries(t *testing.T, roots ...string) map[string]string {
	t.Helper()
	var files []*ast.File
	positions, constants := token.NewFileSet(), map[string]ast.Expr{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(positions, name, nil, 0)
			files = append(files, file)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	makers := map[string]int{} // By directory and name.
	directory := func(file *ast.File) string { return filepath.Dir(positions.Position(file.Pos()).Filename) }
	for _, file := range files {
		addMakers(makers, constants, directory(file), file)
	}
	found := map[string]string{}
	add := func(summary ast.Expr) {
		text, ok := pattern(summary, constants)
		if !ok {
			t.Errorf("%s: the summary can't be read", positions.Position(summary.Pos()))
		}
		if text != "" {
			found[text] = positions.Position(summary.Pos()).String()
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.CallExpr:
				at, makes := diagnosticMakers[nameOf(node.Fun)]
				if !makes {
					at, makes = makers[directory(file)+nameOf(node.Fun)]
				}
				if makes {
					add(node.Args[at])
				}
			case *ast.CompositeLit:
				for _, element := range node.Elts {
					if field, ok := element.(*ast.KeyValueExpr); ok && nameOf(field.Key) == "Summary" &&
						slices.Contains([]string{"Failure", "Diagnostic", ""}, nameOf(node.Type)) {
						add(field.Value)
					}
				}
			case *ast.AssignStmt:
				for i, left := range node.Lhs {
					if selector, ok := left.(*ast.SelectorExpr); ok && selector.Sel.Name == "Summary" {
						add(node.Rhs[i])
					}
				}
			}
			return true
		})
	}
	return found
}

// addMakers records functions with a summary parameter, and constants.
func addMakers(makers map[string]int, constants map[string]ast.Expr, directory string, file *ast.File) {
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			at := 0
			for _, parameters := range node.Type.Params.List {
				for _, parameter := range parameters.Names {
					if parameter.Name == "summary" {
						makers[directory+node.Name.Name] = at
					}
					at++
				}
			}
		case *ast.GenDecl:
			if node.Tok != token.CONST {
				return true
			}
			for _, spec := range node.Specs {
				for i, name := range spec.(*ast.ValueSpec).Names {
					if values := spec.(*ast.ValueSpec).Values; i < len(values) {
						constants[name.Name] = values[i]
					}
				}
			}
		}
		return true
	})
}

// pattern returns the text of a summary. It is empty for a parameter that is passed on, and false if it can't be determined.
func pattern(summary ast.Expr, constants map[string]ast.Expr) (string, bool) {
	switch summary := summary.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(summary.Value)
		return verb.ReplaceAllString(text, "…"), err == nil
	case *ast.BinaryExpr:
		left, right := "…", "…"
		if literal, ok := summary.X.(*ast.BasicLit); ok {
			left, _ = pattern(literal, constants)
		}
		if literal, ok := summary.Y.(*ast.BasicLit); ok {
			right, _ = pattern(literal, constants)
		}
		return left + right, left != right
	case *ast.CallExpr:
		if nameOf(summary.Fun) == "Sprintf" {
			return pattern(summary.Args[0], constants)
		}
		return "", nameOf(summary.Fun) == "Summary"
	case *ast.SelectorExpr:
		return "", summary.Sel.Name == "Summary"
	case *ast.Ident:
		if value, ok := constants[summary.Name]; ok {
			return pattern(value, constants)
		}
		return "", summary.Name == "summary"
	}
	return "", false
}

// nameOf returns the last name in an expression.
func nameOf(expression ast.Expr) string {
	switch expression := expression.(type) {
	case *ast.Ident:
		return expression.Name
	case *ast.SelectorExpr:
		return expression.Sel.Name
	}
	return ""
}

var code = regexp.MustCompile("`([^`]+)`")

// explained returns the summaries in the guide: the first column of its tables of summaries.
func explained(guide string) []string {
	var found []string
	inTable := false
	for line := range strings.Lines(guide) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			inTable = false
			continue
		}
		first := strings.TrimSpace(cells[1])
		if inTable = inTable || first == "Summary"; !inTable {
			continue
		}
		for _, summary := range code.FindAllStringSubmatch(first, -1) {
			found = append(found, verb.ReplaceAllString(summary[1], "…"))
		}
	}
	return found
}

// TestTroubleshooting checks that the guide has the summary of every diagnostic, and that every summary in the guide exists. "Cannot read …"
// stands for all that begin with it.
func TestTroubleshooting(t *testing.T) {
	t.Parallel()
	raised := summaries(t, "provider", "framework", "rollout")
	guide, err := os.ReadFile("../templates/guides/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	inGuide := explained(string(guide))
	for _, summary := range slices.Sorted(maps.Keys(raised)) {
		if !slices.ContainsFunc(inGuide, func(explained string) bool {
			beginning, open := strings.CutSuffix(explained, "…")
			return explained == summary || open && strings.Count(explained, "…") == 1 && strings.HasPrefix(summary, beginning)
		}) {
			t.Errorf("the troubleshooting guide doesn't explain %q (%s)", summary, raised[summary])
		}
	}
	for i, summary := range inGuide {
		if _, ok := raised[summary]; !ok {
			t.Errorf("the troubleshooting guide explains %q, which nothing reports", summary)
		}
		if slices.Contains(inGuide[:i], summary) {
			t.Errorf("the troubleshooting guide explains %q twice", summary)
		}
	}
	if len(raised) < 90 {
		t.Errorf("only %d summaries were found", len(raised))
	}
}

// messagesOfGo are messages of Go's TLS that the guide explains.
var messagesOfGo = []string{"certificate signed by unknown authority", "certificate required", "bad certificate"}

// TestTroubleshooting_messages expects that the provider prints each text that the guide quotes in its tables of messages. "…" stands for
// any text.
func TestTroubleshooting_messages(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../templates/guides/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	source := readAll(t, func(name string) bool {
		return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
	}, "internal/client", "internal/framework", "internal/provider", "internal/poll", "internal/rollout")
	quotes := 0
	for line := range strings.Lines(string(guide)) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.Contains(cells[1], `"`) || strings.Contains(cells[1], "`") {
			continue
		}
		for _, found := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(cells[1], -1) {
			quotes++
			for part := range strings.SplitSeq(found[1], "…") {
				if part = strings.TrimSpace(part); !strings.Contains(source, part) && !slices.Contains(messagesOfGo, part) {
					t.Errorf("the guide quotes %q, which nothing reports", found[1])
				}
			}
		}
	}
	if quotes < 8 {
		t.Errorf("the guide quotes only %d messages", quotes)
	}
}

func TestTroubleshooting_broken(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	source := "package p\n\nconst missing = \"Missing thing\"\n\nfunc wrong(summary string) {}\n\nfunc f(d D, err error) {\n" +
		"\td.AddError(fmt.Sprintf(\"Cannot %s thing %q\", 1, 2), \"\")\n\td.AddAttributeWarning(p, \"Odd \"+name, \"\")\n" +
		"\td.AddError(missing, \"\")\n\twrong(\"Wrong thing\")\n\td.AddWarning(x.Summary(), \"\")\n\tg(Failure{Summary: noun + \" is gone\"})\n}\n"
	if err := os.WriteFile(filepath.Join(root, "p.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{"Cannot … thing …", "Missing thing", "Odd …", "Wrong thing", "… is gone"}
	if got := slices.Sorted(maps.Keys(summaries(t, root))); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	guide := "| Status | Cause |\n| --- | --- |\n| `401` | no key |\n\n| Summary | Cause |\n| --- | --- |\n| `Rollout of \"…\" failed`, `Long name` | `x` |\n"
	if got, want := explained(guide), []string{"Rollout of … failed", "Long name"}; !slices.Equal(got, want) {
		t.Errorf("the guide explains %q, want %q", got, want)
	}
}
