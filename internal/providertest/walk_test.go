package providertest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// walker holds a handler to an OpenAPI document: it sends what each operation allows and what is just outside, and looks for an effect
// of each property and parameter.
type walker struct {
	t        *testing.T
	handler  http.Handler
	document object
	walks    []walk
	// samples are values that the document allows, for properties whose schema doesn't say what makes sense. Keys are suffixes of
	// locations.
	samples map[string]any
	// instead are members to leave out beside a property, by suffix of its location.
	instead map[string]string
	// shownAs are places in which a property shows, by suffix of its location, where that isn't its own place.
	shownAs map[string]string
	// filters have, for a parameter or a property that selects or orders, two values that must lead to different answers. A nil value
	// is left out. Keys are "METHOD /path name".
	filters map[string][2]any
	// effects look for an effect that has no rule, and say what is wrong. Keys are as in filters.
	effects map[string]func() string
	// elsewhere are those whose effect tests of the control plane show: what they delete, or where a browser is sent.
	elsewhere []string
	// stricter are refusals of what the document allows.
	stricter []stricter

	problems                       []string
	values, properties, parameters int
	used                           map[string]bool
}

// stricter is a refusal with a reason: the document allows values that a rule forbids that it doesn't express.
type stricter struct{ does, at, text, reason string }

// walk is an operation with what it works on.
type walk struct {
	does string
	// bases are valid requests, alternatives of each other: what the document allows must be accepted in one of them.
	bases []base
	// read returns the path of the object that shows the effect of a successful request; nil if none does.
	read func(base probe, answer object) string
}

// base returns a new valid request.
type base func() probe

type probe struct {
	path  string
	query url.Values
	body  object
}

// leaf is a value in a request body.
type leaf struct {
	at                 []string // "0" is the first element of a list, "*" any member of a map.
	schema             object   // Without references and null.
	nullable, required bool
}

func (l leaf) name() string { return strings.Join(l.at, ".") }

// absent is the value of what isn't sent.
type absent struct{}

func (w *walker) problem(does, at, format string, args ...any) {
	w.problems = append(w.problems, fmt.Sprintf("%s %s: ", does, at)+fmt.Sprintf(format, args...))
}

// run returns what is wrong.
func (w *walker) run() []string {
	w.used = map[string]bool{}
	for _, walk := range w.walks {
		method, path, _ := strings.Cut(walk.does, " ")
		item, _ := w.dig(w.document, "paths", path).(object)
		operation, known := item[strings.ToLower(method)].(object)
		if !known {
			w.problem(walk.does, "", "is not in the document")
			continue
		}
		shared, _ := item["parameters"].([]any)
		own, _ := operation["parameters"].([]any)
		for _, p := range slices.Concat(shared, own) {
			w.parameter(walk, w.resolve(p))
		}
		if schema := w.dig(operation, "requestBody", "content", "application/json", "schema"); schema != nil {
			of, _ := w.plain(schema)
			w.object(walk, nil, of)
		}
	}
	for _, s := range w.stricter {
		if !w.used[s.does+" "+s.at+s.text] {
			w.problem(s.does, s.at, "nothing is refused with %q any more: drop it from the list", s.text)
		}
	}
	slices.Sort(w.problems)
	return w.problems
}

func (w *walker) dig(from any, steps ...string) any {
	for _, step := range steps {
		o, _ := from.(object)
		from = o[step]
	}
	return from
}

// resolve follows references.
func (w *walker) resolve(schema any) object {
	o, _ := schema.(object)
	for {
		ref, is := o["$ref"].(string)
		if !is {
			return o
		}
		o, _ = w.dig(w.document, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...).(object)
	}
}

// plain returns a schema without null, and whether it allows null.
func (w *walker) plain(schema any) (of object, nullable bool) {
	of = w.resolve(schema)
	alternatives, _ := of["anyOf"].([]any)
	for _, a := range alternatives {
		if one := w.resolve(a); one["type"] == "null" {
			nullable = true
		} else {
			of = one
		}
	}
	return of, nullable
}

// object walks the properties of an object.
func (w *walker) object(walk walk, at []string, schema object) {
	properties, _ := schema["properties"].(object)
	required, _ := schema["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		of, nullable := w.plain(properties[name])
		l := leaf{append(slices.Clone(at), name), of, nullable, slices.Contains(required, any(name))}
		w.leaf(walk, l)
		w.inner(walk, l.at, of)
	}
}

// inner walks what is in a value.
func (w *walker) inner(walk walk, at []string, schema object) {
	w.object(walk, at, schema)
	for step, in := range map[string]string{"0": "items", "*": "additionalProperties"} {
		element, is := schema[in].(object)
		if !is {
			continue
		}
		of, nullable := w.plain(element)
		l := leaf{append(slices.Clone(at), step), of, nullable, false}
		if _, structured := of["properties"]; !structured {
			w.leaf(walk, l)
		}
		w.inner(walk, l.at, of)
	}
}

// leaf tries the values of a property and looks for its effect.
func (w *walker) leaf(walk walk, l leaf) {
	w.properties++
	method, _, _ := strings.Cut(walk.does, " ")
	var taking base
	shown := map[string]bool{} // The values that a read shows, whether the request has them anyway.
	ignored, refused := "", false
	for _, value := range w.allowed(walk, l) {
		var refusals []string
		accepted, tried := false, false
		for _, b := range orderOf(taking, walk.bases) {
			r := b()
			before, _ := lookup(r.body, l.at)
			if !w.set(&r, l, value) {
				continue
			}
			tried = true
			status, answer, text := w.send(method, r)
			w.values++
			refusals = append(refusals, fmt.Sprintf("%d %s", status, text))
			if status >= 300 {
				continue
			}
			accepted = true
			if _, none := value.(absent); none || value == nil {
				break
			}
			taking = b
			if walk.read == nil || l.structured() {
				break
			}
			_, object, _ := w.send(http.MethodGet, probe{path: walk.read(r, answer)})
			at := l.at
			if place, is := suffixed(w.shownAs, l.name()); is {
				at = strings.Split(place, ".")
			}
			if now, _ := lookup(object, at); same(now, value) {
				shown[fmt.Sprint(value)] = same(before, value)
			} else {
				ignored = fmt.Sprintf("%s is read as %s", encoded(value), encoded(now))
			}
			break
		}
		last := strings.Join(refusals, "\n")
		switch {
		case accepted:
		case !tried:
			w.problem(walk.does, l.name(), "no request of the test has a place for it")
			return
		case !w.known(walk.does, l, last):
			w.problem(walk.does, l.name(), "%s is allowed, but answered with %s", encoded(value), last)
		default:
			refused = refused || taking == nil
		}
	}
	w.outside(walk, l, taking)
	key := walk.does + " " + l.name()
	switch effect, filter := w.effects[key], w.filters[key]; {
	case effect != nil:
		if problem := effect(); problem != "" {
			w.problem(walk.does, l.name(), "%s", problem)
		}
	case filter != [2]any{}:
		w.compare(walk, l.name(), func(r *probe, value any) { w.set(r, l, value) }, filter)
	case taking == nil && refused, l.structured(), slices.Contains(w.elsewhere, key):
	case ignored != "":
		w.problem(walk.does, l.name(), "is ignored: %s", ignored)
	case len(shown) == 1 && slices.Collect(maps.Values(shown))[0] && l.schema["const"] == nil, len(shown) == 0:
		w.problem(walk.does, l.name(), "has no effect that the test knows")
	}
}

// structured reports whether the members of a value show its effect.
func (l leaf) structured() bool {
	if items, is := l.schema["items"].(object); is {
		return items["$ref"] != nil
	}
	return l.schema["properties"] != nil || l.schema["additionalProperties"] != nil && l.schema["additionalProperties"] != true
}

// outside tries what a schema forbids.
func (w *walker) outside(walk walk, l leaf, taking base) {
	method, _, _ := strings.Cut(walk.does, " ")
	for _, value := range w.forbidden(l) {
		for _, b := range orderOf(taking, walk.bases) {
			r := b()
			if !w.set(&r, l, value) {
				continue
			}
			w.values++
			if status, _, text := w.send(method, r); status != http.StatusUnprocessableEntity && status != http.StatusBadRequest {
				w.problem(walk.does, l.name(), "%s is not allowed, but answered with %d %s", encoded(value), status, text)
			}
			break
		}
	}
}

// orderOf puts the base first that has accepted another value.
func orderOf(first base, all []base) []base {
	if first == nil {
		return all
	}
	return append([]base{first}, all...)
}

// known reports whether a refusal is listed.
func (w *walker) known(does string, l leaf, text string) bool {
	for _, s := range w.stricter {
		if (s.does == "" || s.does == does) && strings.HasSuffix("."+l.name(), "."+s.at) && strings.Contains(text, s.text) {
			w.used[s.does+" "+s.at+s.text] = true
			return true
		}
	}
	return false
}

// allowed are the boundaries of what a schema allows, and some values between them.
func (w *walker) allowed(walk walk, l leaf) []any {
	values := []any{}
	if sample, is := suffixed(w.samples, l.name()); is {
		if n, is := l.schema["minLength"].(float64); is {
			values = append(values, strings.Repeat("a", int(n)))
		}
		values = append(values, sample)
	} else {
		values = append(values, inside(l.schema)...)
	}
	if l.schema["properties"] != nil && !slices.ContainsFunc(walk.bases, func(b base) bool {
		_, there := lookup(b().body, l.at)
		return there
	}) {
		values = append(values, w.smallest(l.schema))
	}
	if l.nullable {
		values = append(values, nil)
	}
	if !l.required && l.at[len(l.at)-1] != "0" && l.at[len(l.at)-1] != "*" {
		values = append(values, absent{})
	}
	return values
}

// smallest is an object with nothing but what is required.
func (w *walker) smallest(schema object) object {
	properties, _ := schema["properties"].(object)
	required, _ := schema["required"].([]any)
	smallest := object{}
	for _, name := range required {
		of, _ := w.plain(properties[fmt.Sprint(name)])
		smallest[fmt.Sprint(name)] = inside(of)[0]
	}
	return smallest
}

func inside(schema object) []any {
	if one, is := schema["const"]; is {
		return []any{one}
	}
	if enum, is := schema["enum"].([]any); is {
		return enum
	}
	switch schema["type"] {
	case "boolean":
		return []any{true, false}
	case "integer", "number":
		values := []any{}
		for _, bound := range []string{"minimum", "maximum"} {
			if n, is := schema[bound]; is {
				values = append(values, n)
			}
		}
		return append(values, 7.0)
	case "string":
		if n, is := schema["minLength"].(float64); is {
			return []any{strings.Repeat("a", int(n)), "sample-1"}
		}
		if schema["format"] == "uuid" {
			return []any{"00000000-0000-4000-8000-000000000001"}
		}
		if schema["format"] == "date-time" {
			return []any{"2026-01-02T03:04:05Z"}
		}
		return []any{"sample-1"}
	case "array":
		if items, _ := schema["items"].(object); items["type"] == "string" {
			return []any{[]any{"sample-1"}, []any{}}
		}
		return []any{[]any{}}
	default:
		if schema["additionalProperties"] == true {
			return []any{object{"key": "value"}}
		}
		return nil // Objects with properties are tried by them.
	}
}

// forbidden are the values just outside of a schema, and those of other types.
func (w *walker) forbidden(l leaf) []any {
	values := outsideOf(l.schema)
	if !l.nullable {
		values = append(values, nil)
	}
	if l.required {
		values = append(values, absent{})
	}
	return values
}

func outsideOf(schema object) []any {
	values := []any{object{}, []any{1.0}}
	switch schema["type"] {
	case "boolean":
		values = append(values, "sample-1")
	case "integer", "number":
		step := 0.01
		if schema["type"] == "integer" {
			values, step = append(values, 1.5), 1
		}
		values = append(values, "sample-1")
		if n, is := schema["minimum"].(float64); is {
			values = append(values, n-step)
		}
		if n, is := schema["maximum"].(float64); is {
			values = append(values, n+step)
		}
	case "string":
		values = append(values, 5.0, true)
		if schema["enum"] != nil || schema["const"] != nil || schema["format"] != nil {
			values = append(values, "sample-1")
		}
		if n, is := schema["minLength"].(float64); is {
			values = append(values, strings.Repeat("a", int(n)-1))
		}
	case "array":
		values = []any{object{}, "sample-1", []any{5.0}}
	default:
		values = []any{[]any{}, "sample-1"}
	}
	return values
}

// set changes a request; it reports whether that has a place for the value.
func (w *walker) set(r *probe, l leaf, value any) bool {
	var body any
	if err := json.Unmarshal([]byte(encoded(r.body)), &body); err != nil {
		panic(err) // It was encoded here.
	}
	r.body, _ = body.(object)
	parent, found := lookup(r.body, l.at[:len(l.at)-1])
	last := l.at[len(l.at)-1]
	if beside, is := suffixed(w.instead, l.name()); is {
		if members, is := parent.(object); is {
			delete(members, beside)
		}
	}
	switch parent := parent.(type) {
	case object:
		if last == "*" {
			for name := range parent {
				parent[name] = value
			}
			return len(parent) > 0
		}
		parent[last] = value
		if _, none := value.(absent); none {
			delete(parent, last)
		}
	case []any:
		if len(parent) == 0 {
			return false
		}
		parent[0] = value
	default:
		return false
	}
	return found
}

// lookup finds a value in JSON.
func lookup(value any, at []string) (any, bool) {
	for _, step := range at {
		found := false
		switch v := value.(type) {
		case object:
			if step == "*" {
				for step = range v {
					break
				}
			}
			value, found = v[step]
		case []any:
			if found = len(v) > 0; found {
				value = v[0]
			}
		}
		if !found {
			return nil, false
		}
	}
	return value, true
}

func suffixed[T any](table map[string]T, name string) (T, bool) {
	for at := name; ; {
		if value, is := table[at]; is {
			return value, true
		}
		_, rest, more := strings.Cut(at, ".")
		if !more {
			var none T
			return none, false
		}
		at = rest
	}
}

func same(a, b any) bool { return encoded(a) == encoded(b) }

func encoded(value any) string {
	if _, none := value.(absent); none {
		return "its absence"
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // It is made of JSON's types.
	}
	return string(text)
}

func (w *walker) send(method string, r probe) (status int, answer object, text string) {
	address := r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader([]byte(encoded(r.body)))
	}
	sent := httptest.NewRequestWithContext(w.t.Context(), method, "http://localhost"+address, body)
	sent.Header.Set("X-Api-Key", "key")
	sent.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	w.handler.ServeHTTP(recorder, sent)
	_ = json.Unmarshal(recorder.Body.Bytes(), &answer) // A list or nothing is not an object.
	return recorder.Code, answer, strings.TrimSpace(recorder.Body.String())
}

// parameter tries the values of a parameter and looks for its effect.
func (w *walker) parameter(walk walk, p object) {
	w.parameters++
	method, pattern, _ := strings.Cut(walk.does, " ")
	name, _ := p["name"].(string)
	schema, _ := w.plain(p["schema"])
	if p["in"] == "path" {
		if schema["format"] != "uuid" {
			return
		}
		r := walk.bases[0]()
		i := slices.Index(strings.Split(pattern, "/"), "{"+name+"}")
		segments := strings.Split(r.path, "/")
		segments[i] = "sample-1"
		r.path = strings.Join(segments, "/")
		w.values++
		if status, _, text := w.send(method, r); status != http.StatusUnprocessableEntity {
			w.problem(walk.does, name, "\"sample-1\" in the path is answered with %d %s", status, text)
		}
		return
	}
	l := leaf{[]string{name}, schema, false, p["required"] == true}
	allowed, forbidden := inside(schema), []any{}
	if sample, is := suffixed(w.samples, walk.does+" "+name); is {
		allowed = []any{sample}
	}
	for _, value := range outsideOf(schema) {
		switch value.(type) {
		case string:
			if schema["type"] != "array" {
				forbidden = append(forbidden, value)
			}
		case float64:
			if schema["type"] != "string" {
				forbidden = append(forbidden, value)
			}
		}
	}
	if n, is := schema["maxItems"].(float64); is {
		allowed = []any{repeat("00000000-0000-4000-8000-000000000001", int(n))}
		forbidden = append(forbidden, repeat("00000000-0000-4000-8000-000000000001", int(n)+1), []any{"sample-1"})
	}
	if l.required {
		forbidden = append(forbidden, absent{})
	}
	for _, value := range allowed {
		r := walk.bases[0]()
		setQuery(&r, name, value)
		w.values++
		if status, _, text := w.send(method, r); status >= 300 && status != http.StatusNotFound && !w.known(walk.does, l, text) {
			w.problem(walk.does, name, "%s is allowed, but answered with %d %s", encoded(value), status, text)
		}
	}
	for _, value := range forbidden {
		r := walk.bases[0]()
		setQuery(&r, name, value)
		w.values++
		if status, _, text := w.send(method, r); status != http.StatusUnprocessableEntity && status != http.StatusBadRequest {
			w.problem(walk.does, name, "%s is not allowed, but answered with %d %s", encoded(value), status, text)
		}
	}
	key := walk.does + " " + name
	switch effect, filter := w.effects[key], w.filters[key]; {
	case effect != nil:
		if problem := effect(); problem != "" {
			w.problem(walk.does, name, "%s", problem)
		}
	case filter != [2]any{}:
		w.compare(walk, name, func(r *probe, value any) { setQuery(r, name, value) }, filter)
	case slices.Contains(w.elsewhere, key):
	default:
		w.problem(walk.does, name, "has no effect that the test knows")
	}
}

// compare requires that two values lead to different answers, of which the first one isn't empty.
func (w *walker) compare(walk walk, name string, set func(*probe, any), values [2]any) {
	method, _, _ := strings.Cut(walk.does, " ")
	var texts [2]string
	for i, value := range values {
		r := walk.bases[0]()
		if value == nil {
			value = absent{}
		}
		set(&r, value)
		status, _, text := w.send(method, r)
		if texts[i] = text; status >= 300 {
			w.problem(walk.does, name, "%s is answered with %d %s", encoded(value), status, text)
			return
		}
	}
	if texts[0] == texts[1] || !strings.Contains(texts[0], `"id"`) {
		w.problem(walk.does, name, "is ignored: %s and %s are answered with %s and %s", encoded(values[0]), encoded(values[1]), texts[0], texts[1])
	}
}

func repeat(value any, n int) []any { return slices.Repeat([]any{value}, n) }

func setQuery(r *probe, name string, value any) {
	r.query = maps.Clone(r.query)
	if r.query == nil {
		r.query = url.Values{}
	}
	r.query.Del(name)
	switch value := value.(type) {
	case absent:
	case []any:
		for _, element := range value {
			r.query.Add(name, fmt.Sprint(element))
		}
	default:
		r.query.Set(name, fmt.Sprint(value))
	}
}
