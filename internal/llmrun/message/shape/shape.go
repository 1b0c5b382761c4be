package shape

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/texttable"
)

// Shape reports whether an object has a shape.
type Shape func(rawjson.Object) bool

//go:embed shapes.txt
var text string

// table has the shapes of the text, by name.
type table map[string]Shape

var named = read(text)

func read(text string) table {
	t := table{}
	for words := range texttable.Rows(text) {
		fits, before := t.all(words[1:]), t[words[0]]
		t[words[0]] = func(o rawjson.Object) bool { return before != nil && before(o) || fits(o) }
	}
	return t
}

// Named returns a shape of the table.
func Named(name string) Shape {
	if named[name] == nil {
		panic("no shape " + name)
	}
	return named[name]
}

// All returns the shape of objects that meet all conditions.
func All(conditions []string) Shape { return named.all(conditions) }

func (t table) all(words []string) Shape {
	conditions := make([]Shape, len(words))
	for i, word := range words {
		conditions[i] = t.condition(word)
	}
	return func(o rawjson.Object) bool {
		return !slices.ContainsFunc(conditions, func(is Shape) bool { return !is(o) })
	}
}

// Fits reports whether a value is an object of the shape.
func (s Shape) Fits(raw json.RawMessage) bool {
	if !rawjson.IsObject(raw) {
		return false
	}
	members := rawjson.Borrow()
	defer members.Return()
	return members.Reuse(raw) && s(*members)
}

// Most reports whether something is true of most elements of a list. Others don't decide what the list is.
func Most(list []json.RawMessage, is func(json.RawMessage) bool) bool {
	count := 0
	for _, raw := range list {
		if is(raw) {
			count++
		}
	}
	return count > 0 && 2*count >= len(list)
}

// FitsAll reports whether all elements of a list, of which there are some, are objects of the shape.
func (s Shape) FitsAll(list []json.RawMessage) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(raw json.RawMessage) bool { return !s.Fits(raw) })
}

// condition reads a condition as the table explains it.
func (t table) condition(words string) Shape {
	var either []Shape
	for word := range strings.SplitSeq(words, "|") {
		path, kind, _ := strings.Cut(word, ":")
		path, negated := strings.CutPrefix(path, "!")
		is := t.at(path, kind)
		either = append(either, func(o rawjson.Object) bool { return is(o) != negated })
	}
	return func(o rawjson.Object) bool {
		return slices.ContainsFunc(either, func(is Shape) bool { return is(o) })
	}
}

// at returns the shape of objects with a value of a kind at a path.
func (t table) at(path, kind string) Shape {
	if name, is := strings.CutPrefix(path, "@"); is {
		return t[name]
	}
	if path == "only" {
		keys := strings.Split(kind, ",")
		return func(o rawjson.Object) bool {
			return !slices.ContainsFunc(o, func(m rawjson.Member) bool { return !slices.Contains(keys, m.Key) })
		}
	}
	key, rest, isInner := strings.Cut(path, ".")
	is := t.test(kind)
	if isInner {
		is = t.at(rest, kind).Fits
	}
	key, some := strings.CutSuffix(key, "[]")
	key, every := strings.CutSuffix(key, "[*]")
	isSnake := strings.Contains(key, "_")
	return func(o rawjson.Object) bool {
		value := o.Get(key)
		if value == nil && isSnake {
			_, value = o.Find(key)
		}
		if !some && !every {
			return is(value)
		}
		for element := range rawjson.Elements(value) {
			if is(element) != every {
				return some
			}
		}
		return every && rawjson.IsArray(value) && !rawjson.IsVoid(value)
	}
}

// test returns the test for a kind of value, or for one of several texts.
func (t table) test(kind string) func(json.RawMessage) bool {
	start, isStart := strings.CutSuffix(kind, "*")
	end, isEnd := strings.CutPrefix(kind, "*")
	switch name, isShape := strings.CutPrefix(kind, "@"); {
	case kinds[kind] != nil:
		return kinds[kind]
	case isShape:
		return t[name].Fits
	case isStart || isEnd:
		return func(raw json.RawMessage) bool {
			text, _ := rawjson.ReadString(raw)
			return isStart && strings.HasPrefix(text, start) || isEnd && strings.HasSuffix(text, end)
		}
	default:
		texts := strings.Split(kind, ",")
		return func(raw json.RawMessage) bool {
			return raw != nil && slices.ContainsFunc(texts, func(text string) bool { return rawjson.IsText(raw, text) })
		}
	}
}

// kinds are the kinds of values that aren't texts.
var kinds = map[string]func(json.RawMessage) bool{
	"":       func(raw json.RawMessage) bool { return raw != nil },
	"set":    func(raw json.RawMessage) bool { return !rawjson.IsNullOrAbsent(raw) },
	"true":   func(raw json.RawMessage) bool { return string(raw) == "true" },
	"void":   func(raw json.RawMessage) bool { return rawjson.IsVoid(raw) },
	"list":   func(raw json.RawMessage) bool { return rawjson.IsArray(raw) },
	"string": func(raw json.RawMessage) bool { return rawjson.IsString(raw) },
	"object": func(raw json.RawMessage) bool { return rawjson.IsObject(raw) },
	"said":   func(raw json.RawMessage) bool { return rawjson.IsObject(raw) || rawjson.IsString(raw) },
}
