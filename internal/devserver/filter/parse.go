package filter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// Parse reads a filter. The error is a *SyntaxError.
func Parse(text string) (Expr, error) { return parse(text, kinds) }

// parse reads a filter on the given fields.
func parse(text string, fields map[Field]Kind) (Expr, error) {
	if len(text) > limits.FilterBytes {
		return nil, &SyntaxError{Position: 1, Problem: fmt.Sprintf("a filter can have at most %d bytes: split it into several queries", limits.FilterBytes)}
	}
	p := parser{tokens: scan(text), fields: fields}
	e, err := p.expr(0)
	if err != nil {
		return nil, err
	}
	if end := p.next(); end.kind != endToken {
		return nil, end.wrong("unexpected %s after the end of the filter; combine conditions with and(…)", end)
	}
	return e, nil
}

type parser struct {
	fields map[Field]Kind
	tokens []token
	at     int
	// size counts conditions and values, searches those that search for text.
	size, searches int
}

// grow counts a condition or a value, which starts with a token.
func (p *parser) grow(t token) error {
	if p.size++; p.size > limits.FilterSize {
		return t.wrong("a filter can have at most %d conditions and values: split it into several queries", limits.FilterSize)
	}
	return nil
}

func (p *parser) peek() token { return p.tokens[p.at] }

// next takes a token; at the end, it returns the end token again and again.
func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != endToken {
		p.at++
	}
	return t
}

// expect takes a punctuation mark.
func (p *parser) expect(mark string) error {
	if t := p.next(); t.kind != markToken || t.text != mark {
		return t.wrong("expected %q, found %s", mark, t)
	}
	return nil
}

// operators are the words that can start a condition.
var operators = []string{"and", "or", "not", "in", "has", "search", "like", "notlike", "exists", "eq", "neq", "gt", "gte", "lt", "lte"}

// IsOperator reports whether a filter can start with a word.
func IsOperator(word string) bool { return slices.Contains(operators, strings.TrimSpace(word)) }

func (p *parser) expr(depth int) (Expr, error) {
	operator := p.next()
	if operator.kind != wordToken {
		return nil, operator.wrong("expected a condition such as eq(name, \"chat\"), found %s", operator)
	}
	if depth >= limits.FilterDepth {
		return nil, operator.wrong("conditions are nested more than %d deep", limits.FilterDepth)
	}
	if err := p.grow(operator); err != nil {
		return nil, err
	}
	if !slices.Contains(operators, operator.text) {
		return nil, operator.wrong("unknown operator %q: use one of %s", operator.text, strings.Join(operators, ", "))
	}
	if err := p.expect("("); err != nil {
		return nil, err
	}
	e, err := p.condition(operator, depth)
	if err != nil {
		return nil, err
	}
	return e, p.expect(")")
}

// condition reads what is between the parentheses of an operator.
func (p *parser) condition(operator token, depth int) (Expr, error) {
	switch operator.text {
	case "and":
		terms, err := p.terms(depth)
		return And{terms}, err
	case "or":
		terms, err := p.terms(depth)
		return Or{terms}, err
	case "not":
		term, err := p.expr(depth + 1)
		return Not{term}, err
	case "search":
		return p.search(operator)
	}
	field, err := p.field()
	if err != nil {
		return nil, err
	}
	if operator.text == "exists" {
		return Compare{NotEqual, field, Value{Null: true}}, nil
	}
	if err := p.expect(","); err != nil {
		return nil, err
	}
	switch operator.text {
	case "like":
		return p.like(operator, field, false)
	case "notlike":
		pattern, err := p.like(operator, field, false)
		return Not{pattern}, err
	case "in":
		switch p.fields[field] { //nolint:exhaustive // All others are looked for among values.
		case List:
			return nil, operator.wrong("in can't be used with %s, which is a list: use or(has(%[1]s, \"…\"), …)", field)
		case Object, Content:
			return nil, operator.wrong("in can't be used with %s, which is an object", field)
		}
		values, err := p.list(field)
		return In{field, values}, err
	case "has":
		return p.has(operator, field)
	}
	return p.comparison(operator, field)
}

func (p *parser) terms(depth int) ([]Expr, error) {
	var terms []Expr
	for {
		term, err := p.expr(depth + 1)
		if err != nil {
			return nil, err
		}
		terms = append(terms, term)
		if t := p.peek(); t.kind != markToken || t.text != "," {
			return terms, nil
		}
		p.next()
	}
}

func (p *parser) field() (Field, error) {
	t := p.next()
	if t.kind != wordToken {
		return "", t.wrong("expected a field, found %s", t)
	}
	if _, known := Field(t.text).kindAmong(p.fields); !known {
		return "", t.wrong("unknown field %q: use one of %s", t.text, strings.Join(names(p.fields), ", "))
	}
	return Field(t.text), nil
}

func (p *parser) comparison(operator token, field Field) (Expr, error) {
	switch p.fields[field] { //nolint:exhaustive // All others are compared.
	case Object:
		return nil, operator.wrong("%s can't be used with %s, which is an object: use has(%[2]s, '{\"key\": \"value\"}')", operator.text, field)
	case Content:
		return nil, operator.wrong("%s can't be used with %s, which is an object: use like(%[2]s, \"…\"), or the key and value of an entry", operator.text, field)
	}
	if !slices.Contains(comparisons, Op(operator.text)) || p.fields[field] == List {
		return nil, operator.wrong("%s can't be used with %s, which is a list: use has(%[2]s, \"…\")", operator.text, field)
	}
	at := p.peek()
	value, err := p.value(field)
	if err != nil {
		return nil, err
	}
	op := Op(operator.text)
	if value.Null && op != Equal && op != NotEqual {
		return nil, at.wrong("%s can't compare with null: use eq or neq", op)
	}
	if p.fields[field] == Bool && op != Equal && op != NotEqual {
		return nil, operator.wrong("%s can't compare %s, which is true or false: use eq or neq", op, field)
	}
	return Compare{op, field, value}, nil
}

func (p *parser) has(operator token, field Field) (Expr, error) {
	if p.fields[field] == Object {
		return p.hasObject(field)
	}
	if p.fields[field] != List {
		return nil, operator.wrong("has needs a list, and %s is %s: use eq(%[1]s, …)", field, p.fields[field])
	}
	at := p.peek()
	value, err := p.value(field)
	if err == nil && value.Null {
		return nil, at.wrong("%s is never null", field)
	}
	return Has{field, value}, err
}

func (p *parser) list(field Field) ([]Value, error) {
	if err := p.expect("["); err != nil {
		return nil, err
	}
	values := []Value{}
	for {
		if t := p.peek(); t.kind == markToken && t.text == "]" {
			p.next()
			return values, nil
		}
		value, err := p.value(field)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
		if t := p.peek(); t.kind == markToken && t.text == "," {
			p.next()
		} else if t.kind != markToken || t.text != "]" {
			return nil, t.wrong("expected \",\" or \"]\", found %s", t)
		}
	}
}

// value reads a literal of the field's kind.
func (p *parser) value(field Field) (Value, error) {
	t := p.next()
	if err := p.grow(t); err != nil {
		return Value{}, err
	}
	value, ok := t.value()
	if !ok {
		return value, t.wrong("expected a value for %s, found %s; strings must be quoted", field, t)
	}
	kind, _ := field.kindAmong(p.fields)
	fitting, fits := value.fit(kind)
	if !fits {
		return value, t.wrong("%s is %s, found %s", field, kind, t)
	}
	return fitting.asKept(field), nil
}

// asKept returns the text of a value as the service keeps the texts of a field.
func (v Value) asKept(field Field) Value {
	if v.Text == nil {
		return v
	}
	switch field { //nolint:exhaustive // All other texts are kept as they are.
	case ID, TraceID, ParentRunID:
		if id, err := uuid.Parse(*v.Text); err == nil {
			v.Text = new(id.String())
		}
	case RunType, Status:
		v.Text = new(strings.ToLower(*v.Text))
	}
	return v
}

// value converts a token to a literal.
func (t token) value() (Value, bool) {
	switch t.kind {
	case stringToken:
		return Value{Text: &t.text}, true
	case numberToken:
		return Value{Number: &t.text}, true
	case wordToken:
		switch strings.ToLower(t.text) { // Python writes None and True.
		case "null", "none":
			return Value{Null: true}, true
		case "true", "false":
			truth := strings.EqualFold(t.text, "true")
			return Value{Bool: &truth}, true
		}
	case endToken, markToken, brokenToken:
	}
	return Value{}, false
}

func (t token) wrong(format string, args ...any) error {
	problem := fmt.Sprintf(format, args...)
	if t.problem != "" {
		problem = t.problem
	}
	return &SyntaxError{Position: t.position, Problem: problem}
}
