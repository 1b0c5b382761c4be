package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is one change of the code. Its ID is what switches it on.
type mutant struct {
	id     int
	place  string // file:line:column
	change string
	key    string // its description within its function, independent of the position
}

func (m mutant) String() string { return m.place + ": " + m.change }

// mutator adds the mutants of a package's files to their code.
type mutator struct {
	files    *token.FileSet
	function string // the function being walked
	keys     map[string]int
	mutants  []mutant
	edits    []edit
}

// edit replaces length bytes at offset by text.
type edit struct {
	offset, length int
	text           string
}

// instrument returns the code of a file with its mutants in it, all of them switched off. Only what keeps the code valid
// whatever the types are is changed: the code isn't type-checked here.
func (m *mutator) instrument(name string, code []byte) ([]byte, error) {
	file, err := parser.ParseFile(m.files, name, code, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(file) {
		return code, nil
	}
	m.edits = nil
	m.walk(file)
	return m.apply(code), nil
}

// walk visits nodes outermost first, so that of two insertions at one place the outer one comes first.
func (m *mutator) walk(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			m.function = n.Name.Name
		case *ast.GenDecl:
			return n.Tok == token.VAR // Constants and types must stay computable at compile time.
		case *ast.ArrayType:
			return false
		case *ast.BinaryExpr:
			m.binary(n)
			return false
		case *ast.BlockStmt:
			m.statements(n.List)
			return false
		case *ast.CaseClause:
			for _, x := range n.List {
				m.walk(x)
			}
			m.statements(n.Body)
			return false
		case *ast.CommClause:
			if n.Comm != nil {
				m.walk(n.Comm)
			}
			m.statements(n.Body)
			return false
		}
		return true
	})
}

// opposites maps each comparison to the one whose bound is moved by one.
var opposites = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
}

// bounds are functions of the switch that compare, with a bound that moves.
var bounds = map[token.Token]string{
	token.LSS: "mutateLess", token.LEQ: "mutateAtMost", token.GTR: "mutateMore", token.GEQ: "mutateAtLeast",
}

func (m *mutator) binary(n *ast.BinaryExpr) {
	switch n.Op {
	case token.LAND, token.LOR:
		m.operand(n.X, n.Op)
		m.operand(n.Y, n.Op)
	case token.EQL, token.NEQ:
		m.insert(n.Pos(), fmt.Sprintf("(mutate(%d) != (", m.add(n, "negated")))
		m.walk(n.X)
		m.walk(n.Y)
		m.insert(n.End(), "))")
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		bound, negation := m.add(n, "with "+opposites[n.Op].String()), m.add(n, "negated")
		m.insert(n.Pos(), fmt.Sprintf("(mutate(%d) != %s(%d, ", negation, bounds[n.Op], bound))
		m.walk(n.X)
		m.edits = append(m.edits, edit{m.offset(n.OpPos), len(n.Op.String()), ", "})
		m.walk(n.Y)
		m.insert(n.End(), "))")
	default:
		m.walk(n.X)
		m.walk(n.Y)
	}
}

// operand makes an operand of && or || one that can be ignored. Where it has no effect, it is evaluated first, so that the
// mutant is reached only where ignoring the operand matters.
func (m *mutator) operand(x ast.Expr, op token.Token) {
	ignored := fmt.Sprintf("mutate(%d)", m.add(x, "ignored"))
	or := "||"
	if op == token.LOR {
		ignored, or = "!"+ignored, "&&"
	}
	before, after := "((", ") "+or+" "+ignored+")"
	if hasEffect(x) {
		before, after = "("+ignored+" "+or+" (", "))"
	}
	m.insert(x.Pos(), before)
	m.walk(x)
	m.insert(x.End(), after)
}

// hasEffect reports whether evaluating an expression may do more than compute a value.
func hasEffect(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || !isCallOf(n, "len")
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// statements makes each statement removable.
func (m *mutator) statements(list []ast.Stmt) {
	for _, s := range list {
		if !removable(s) {
			m.walk(s)
			continue
		}
		m.insert(s.Pos(), fmt.Sprintf("if !mutate(%d) { ", m.add(s, "left out")))
		m.walk(s)
		m.insert(s.End(), " }")
	}
}

func removable(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE && !isBlank(s.Lhs)
	case *ast.ExprStmt:
		return !isCallOf(s.X, "panic") && !isLog(s.X)
	case *ast.IncDecStmt, *ast.DeferStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.BREAK || s.Tok == token.CONTINUE
	}
	return false
}

func isBlank(left []ast.Expr) bool {
	return !slices.ContainsFunc(left, func(x ast.Expr) bool {
		name, ok := x.(*ast.Ident)
		return !ok || name.Name != "_"
	})
}

func isCallOf(x ast.Expr, name string) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	called, ok := call.Fun.(*ast.Ident)
	return ok && called.Name == name
}

// isLog reports whether a call writes a log line; no test has to notice its removal.
func isLog(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	called, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := called.X.(*ast.Ident)
	return ok && (pkg.Name == "tflog" || pkg.Name == "slog")
}

func newMutator() *mutator { return &mutator{files: token.NewFileSet(), keys: map[string]int{}} }

func (m *mutator) add(n ast.Node, change string) int {
	at := m.files.Position(n.Pos())
	var text strings.Builder
	printer.Fprint(&text, m.files, n)
	change = shorten(text.String()) + " " + change
	key := fmt.Sprintf("%s %s: %s", at.Filename, m.function, change)
	m.keys[key]++
	m.mutants = append(m.mutants, mutant{
		id:     len(m.mutants) + 1,
		place:  fmt.Sprintf("%s:%d:%d", filepath.Base(at.Filename), at.Line, at.Column),
		change: change,
		key:    fmt.Sprintf("%s %d", key, m.keys[key]),
	})
	return len(m.mutants)
}

// sample chooses about one mutant in n. The choice stays the same as long as their functions don't change.
func sample(mutants []mutant, n uint64) []mutant {
	var chosen []mutant
	for _, m := range mutants {
		hash := fnv.New64a()
		hash.Write([]byte(m.key))
		if hash.Sum64()%n == 0 {
			chosen = append(chosen, m)
		}
	}
	return chosen
}

// shorten truncates a text to fit on a line.
func shorten(text string) string {
	const most = 80
	first := []rune(strings.Join(strings.Fields(text), " "))
	if len(first) <= most {
		return string(first)
	}
	return string(first[:most-1]) + "…"
}

func (m *mutator) offset(p token.Pos) int { return m.files.Position(p).Offset }

func (m *mutator) insert(p token.Pos, text string) {
	m.edits = append(m.edits, edit{offset: m.offset(p), text: text})
}

func (m *mutator) apply(code []byte) []byte {
	slices.SortStableFunc(m.edits, func(a, b edit) int { return cmp.Compare(a.offset, b.offset) })
	var out []byte
	at := 0
	for _, e := range m.edits {
		out = append(out, code[at:e.offset]...)
		out = append(out, e.text...)
		at = e.offset + e.length
	}
	return append(out, code[at:]...)
}
