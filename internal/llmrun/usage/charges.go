package usage

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Charges are what a bill depends on besides the tokens. They aren't part of usage_metadata, so they are read from what is logged with it.
type Charges struct {
	// Units count what is billed by itself, such as web_searches. The units input_tokens and output_tokens are the tokens that a provider
	// bills in place of those that it reports.
	Units Counts `json:"units,omitempty"`
	// Modifiers change the prices of all tokens: the tier of the service, such as batch, and the region.
	Modifiers []string `json:"modifiers,omitempty"`
}

// IsZero reports whether there are none.
func (c Charges) IsZero() bool { return len(c.Units) == 0 && len(c.Modifiers) == 0 }

// usual are the tiers and regions at the listed price.
var usual = []string{"", "standard", "default", "auto", "on_demand", "global", "not_available", "unspecified", "traffic_type_unspecified"}

// longestName is the length in bytes of the longest unit or modifier with its own name, and mostUnits how many there are: clients may make
// up any number of them.
const (
	longestName = 64
	mostUnits   = 20
)

// nameOf returns a name that a client has given, unless it is too long, or there are too many.
func nameOf(name string, others int) string {
	if len(name) > longestName || others > mostUnits {
		return "others"
	}
	return name
}

// unit is a number of what is billed by itself, or one for each value that is text. Some values say that another one isn't billed.
type unit struct {
	name, text string
	sign       int64
}

// newUnit reads a path of a unit: path, path=text, path=* for any text, path=0 for the first of a list; a minus sign means one less.
func newUnit(name, at string) (string, unit) {
	at, minus := strings.CutPrefix(at, "-")
	at, text, _ := strings.Cut(at, "=")
	if minus {
		return at, unit{name, text, -1}
	}
	return at, unit{name, text, 1}
}

// number returns how many units a value stands for.
func (u unit) number(l leaf) *decimal.Decimal {
	if u.text == "" {
		return readAmount(l.raw)
	}
	if u.text == "*" || u.text == l.text() || u.text == l.key {
		return new(decimal.Of(u.sign))
	}
	return nil
}

// modifierOf returns the modifier that a value is; empty if it is none.
func modifierOf(l leaf, others int) string {
	switch {
	case slices.Contains(valuePaths["batch"], l.path):
		return "batch"
	case !slices.Contains(tierPaths, l.path) && !slices.Contains(valuePaths["region"], l.path) || slices.Contains(usual, l.text()):
		return ""
	case !slices.Contains(tierPaths, l.path):
		return "inference_geo_" + nameOf(l.text(), others)
	}
	return cmp.Or(tiers[l.text()], nameOf(l.text(), others))
}

// read adds what some values say. Of several copies of a usage, the first one counts for each unit.
func (c *Charges) read(leaves []leaf) {
	var units Counts
	for _, l := range leaves {
		for _, u := range unitPaths[l.path] {
			if u.name == "*" {
				u.name = nameOf(l.key, len(units))
			}
			if n := u.number(l); n != nil && c.Units[u.name].Sign() == 0 {
				units = plusDetails(units, Counts{u.name: *n})
			}
		}
		if modifier := modifierOf(l, len(c.Modifiers)); modifier != "" && !slices.Contains(c.Modifiers, modifier) {
			c.Modifiers = append(c.Modifiers, modifier)
		}
	}
	for name, n := range units {
		if n.Sign() > 0 {
			c.Units = plusDetails(c.Units, Counts{name: n})
		}
	}
}

// charges returns those of a call. Exporters of spans put some into its metadata.
func (p Places) charges(whole place) (c Charges) {
	places := []place{whole}
	if whole.answers[0].ownBlocks() == nil {
		places = append(places, whole.answers[0].within()...)
	}
	for _, place := range places {
		for _, answer := range place.answers {
			var call Charges
			answer.read()
			for _, block := range answer.blocks {
				call.read(block.leaves)
				call.read(newBlock(block.member("raw")).leaves) // The AI SDK keeps what the provider has sent.
			}
			call.read(answer.beside)
			c.Units, c.Modifiers = plusDetails(c.Units, call.Units), append(c.Modifiers, call.Modifiers...)
		}
		if !c.IsZero() {
			break
		}
	}
	if p.RunMetadata != nil {
		leaves := leavesOf(rawjson.Object(nil).WithAll(p.RunMetadata), inMetadata)
		c.read(slices.DeleteFunc(leaves, func(l leaf) bool { // Users have their own metadata.
			return slices.Contains(tierPaths, l.path) && tiers[l.text()] == ""
		}))
	}
	slices.Sort(c.Modifiers)
	c.Modifiers = slices.Compact(c.Modifiers)
	return c
}

func leavesOf(o rawjson.Object, p *path) []leaf {
	b := &providerBlock{}
	b.addMembers(o, p, "")
	return b.leaves
}
