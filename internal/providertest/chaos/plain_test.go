package chaos

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// plain is an object without rollouts as it is configured: its attributes, as JSON has them.
type plain struct {
	*noun
	label      string
	attributes map[string]any
	renamed    int
}

// noun is a kind of such objects.
type noun struct {
	kind
	collection string
	// keyed is the attribute that names one; an import takes it, or the id.
	keyed, imported string
	// fields are the members of bodies that attributes have other names for.
	fields map[string]string
	// starts gives the attributes but the key, and changes changes some of them.
	starts  func(random *rand.Rand, attributes map[string]any)
	changes func(random *rand.Rand, attributes map[string]any)
	// method and meddled are a change by another user: the body of the request, derived from the object in the service.
	method  string
	meddled func(random *rand.Rand, body map[string]any) map[string]any
	// meddles, if not nil, is used in place of both. unsent are attributes that the service doesn't get.
	meddles func(random *rand.Rand, s *service, f found, meanwhile bool) string
	unsent  []string
}

func newPlain(random *rand.Rand, n *noun, label string) *plain {
	p := &plain{noun: n, label: label, attributes: map[string]any{n.keyed: "chaos-" + label}}
	n.starts(random, p.attributes)
	return p
}

func (p *plain) kind() *kind { return &p.noun.kind }

func (p *plain) block() string { return p.label }

func (p *plain) key() string { return fmt.Sprint(p.attributes[p.keyed]) }

func (p *plain) owns(key string) bool {
	return key == "chaos-"+p.label || strings.HasPrefix(key, "chaos-"+p.label+"-")
}

// change implements object. A new key replaces it, or renames it where the key can be changed.
func (p *plain) change(random *rand.Rand) {
	for range 1 + random.IntN(3) {
		p.changes(random, p.attributes)
	}
	if chance(random, 0.15) {
		p.renamed++
		p.attributes[p.keyed] = fmt.Sprintf("chaos-%s-%d", p.label, p.renamed)
	}
}

func (p *plain) clone() object {
	copied := *p
	copied.attributes = maps.Clone(p.attributes) // The values are replaced, never modified.
	return &copied
}

// hcl encodes values as JSON, which is valid HCL.
func (p *plain) hcl(place) string {
	var b strings.Builder
	fmt.Fprintf(&b, "resource %q %q {\n", p.typeName, p.label)
	for _, name := range slices.Sorted(maps.Keys(p.attributes)) {
		fmt.Fprintf(&b, "%s = %s\n", name, encoded(p.attributes[name]))
	}
	b.WriteString("}\n")
	return b.String()
}

func (p *plain) settings() settings { return p.shown(p.attributes) }

func (p *plain) of(f found) settings {
	body, ok := f.body.(map[string]any)
	if !ok {
		return nil
	}
	current := map[string]any{}
	for name := range p.attributes {
		field := name
		if other, has := p.fields[name]; has {
			field = other
		}
		current[name] = body[field]
	}
	return p.shown(current)
}

// shown are attributes as texts. Numbers are the same however they are written.
func (p *plain) shown(attributes map[string]any) settings {
	all := settings{}
	for name, value := range attributes {
		if !slices.Contains(p.unsent, name) {
			all[name] = encoded(canonical(value))
		}
	}
	return all
}

func canonical(value any) any {
	switch v := value.(type) {
	case map[string]any:
		same := map[string]any{}
		for name, member := range v {
			if member != nil { // The service shows null for what isn't set.
				same[name] = canonical(member)
			}
		}
		return same
	case []any:
		same := make([]any, len(v))
		for i, element := range v {
			same[i] = canonical(element)
		}
		return same
	case string:
		if number, ok := new(big.Rat).SetString(v); ok {
			return number.RatString()
		}
	case json.Number:
		return canonical(v.String())
	case float64:
		return canonical(strconv.FormatFloat(v, 'f', -1, 64))
	case int:
		return canonical(fmt.Sprint(v))
	}
	return value
}

func encoded(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// meddle implements object: it deletes, every fourth time, or changes.
func (p *plain) meddle(random *rand.Rand, s *service, f found, meanwhile bool) string {
	if p.meddles != nil {
		return p.meddles(random, s, f, meanwhile)
	}
	path := p.collection + "/" + f.importID
	if chance(random, 0.25) && !meanwhile {
		s.try(http.MethodDelete, path, nil) // The service refuses to delete a listener in use.
		return "delete " + f.key
	}
	body, ok := f.body.(map[string]any)
	if !ok {
		panic(fmt.Sprintf("%T is no body", f.body))
	}
	change := p.meddled(random, maps.Clone(body))
	s.try(p.method, path, change)
	return encoded(change)
}

// listed are the objects that the service holds, but for those that every service has.
func (n *noun) listed(s *service) []found {
	var all []found
	for _, body := range s.list(n.collection) {
		f := found{id: text(body, "id"), key: text(body, n.keyed), importID: text(body, n.imported), body: body}
		if secret, sent := s.secret(f.key); sent {
			body["client_secret"] = secret
		}
		if strings.HasPrefix(f.key, "chaos-") {
			all = append(all, f)
		}
	}
	return all
}

func text(body map[string]any, name string) string {
	value, _ := body[name].(string)
	return value
}
