package filter

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// search reads what follows search( up to the closing parenthesis: a text, or a field and a text that it contains.
func (p *parser) search(operator token) (Expr, error) {
	if t := p.peek(); t.kind == wordToken {
		field, err := p.field()
		if err != nil {
			return nil, err
		}
		if err := p.expect(","); err != nil {
			return nil, err
		}
		return p.like(operator, field, true)
	}
	text := p.next()
	if text.kind != stringToken {
		return nil, text.wrong("search takes a string, such as search(\"refund\"), found %s", text)
	}
	return Search{text.text}, p.look(operator)
}

// look counts a search text, which requires reading all contents of a run.
func (p *parser) look(operator token) error {
	if p.searches++; p.searches > limits.FilterSearches {
		return operator.wrong("a filter can search for at most %d texts: split it into several queries", limits.FilterSearches)
	}
	return nil
}

// like reads a field and the pattern to match it with.
func (p *parser) like(operator token, field Field, contains bool) (Expr, error) {
	if kind := p.fields[field]; kind != Text && kind != Content || ofEntries[field] != "" {
		return nil, operator.wrong("%s can't be used with %s: it matches inputs, outputs and strings such as name", operator.text, field)
	}
	pattern := p.next()
	if pattern.kind != stringToken {
		return nil, pattern.wrong("expected a string, found %s", pattern)
	}
	if len(pattern.text) > limits.PatternBytes {
		return nil, pattern.wrong("a pattern can have at most %d bytes", limits.PatternBytes)
	}
	return Like{field, pattern.text, contains}, p.look(operator)
}

// hasObject reads a quoted JSON object that metadata must contain. Nested entries are matched by the path of their keys.
func (p *parser) hasObject(field Field) (Expr, error) {
	t := p.next()
	d := json.NewDecoder(bytes.NewReader([]byte(t.text)))
	d.UseNumber()
	var object map[string]any
	if t.kind != stringToken || d.Decode(&object) != nil || object == nil {
		return nil, t.wrong("%s takes a JSON object, such as has(%[1]s, '{\"team\": \"a\"}'), found %s", field, t)
	}
	terms, err := p.entries(t, "", object)
	return And{terms}, err
}

// entries requires a run to have each entry of an object, with a prefix before the keys.
func (p *parser) entries(t token, prefix string, object map[string]any) ([]Expr, error) {
	all := []Expr{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if err := p.grow(t); err != nil {
			return nil, err
		}
		key := prefix + name
		var value Value
		switch v := object[name].(type) {
		case map[string]any:
			inner, err := p.entries(t, key+".", v)
			if err != nil {
				return nil, err
			}
			all = append(append(all, And{[]Expr{Compare{Equal, MetadataKey, Value{Text: &key}}}}), inner...)
			continue
		case string:
			value.Text = &v
		case bool:
			value.Bool = &v
		case json.Number:
			digits := v.String()
			value.Number = &digits
		case nil:
			return nil, t.wrong("metadata entries are never null")
		default: // A list.
			text, err := json.Marshal(v)
			if err != nil {
				return nil, t.wrong("%s", err)
			}
			value.Text = new(string(text))
		}
		all = append(all, And{[]Expr{Compare{Equal, MetadataKey, Value{Text: &key}}, Compare{Equal, MetadataValue, value}}})
	}
	return all, nil
}
