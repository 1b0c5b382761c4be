package deployment_test

import (
	"slices"
	"strings"
)

// kinds are the columns of outcomes.
var kinds = []string{"create", "read", "update", "replace", "delete", "look", "find", "list", "statistics", "runs", "read in list"}

// outcomes are by answer and, in the order of kinds, by operation: (r)ejected, (f)ine, (t)aken, (g)one or, with a dot, not tried.
// A write has done its work, which its reader finds out: a create and an update look at what is there, and only an entry of the
// price map, which is replaced as a whole, can't tell. What a deletion answers doesn't matter.
var outcomes = map[string]string{
	"nothing":            "f r f r f  r r r r r r",
	"spaces":             ". r . . .  r r r r r r",
	"no content":         ". r . . .  r r r r r r",
	"a page":             "f r f r f  r r r r r r",
	"a page as JSON":     ". r . . .  r r r r r r",
	"half of it":         "f r f r f  r r r r r r",
	"null":               "f r f r f  r r r r r r",
	"a text":             ". r . . .  r r r r r r",
	"a number":           ". r . . .  r r r r r r",
	"true":               ". r . . .  r r r r r r",
	"an empty object":    "f r f r f  r r r r r r",
	"a list in a list":   ". r . . .  r r r r r r",
	"in an envelope":     ". r . . .  r r r r r r",
	"an error":           ". r . . .  r r r r r r",
	"words":              "f r f r f  r r r r r r",
	"deep":               "f r f r f  r r r r r r",
	"deep and closed":    ". r . . .  r r r r r r",
	"a mark before":      ". r . . .  r r r r r r",
	"more after it":      "f r f r f  r r r r r r",
	"a page after it":    ". r . . .  r r r r r r",
	"a guard before":     ". r . . .  r r r r r r",
	"single quotes":      ". r . . .  r r r r r r",
	"UTF-16":             ". r . . .  r r r r r r",
	"a NUL":              ". r . . .  r r r r r r",
	"no gzip":            ". r . . .  r r r r r r",
	"of type HTML":       ". r . . .  r r r r r r",
	"as a text":          ". f . . .  f f f f f f",
	"as nothing known":   ". f . . .  f f f f f f",
	"created":            "f f f f f  f f f f f f",
	"accepted":           ". f . . .  f f f f f f",
	"additional members": "f f f f f  f f f f f f",
	"id: a number":       ". r . . .  r r r f r r",
	"id: null":           "f r f r f  r r r f r r",
	"id: missing":        ". r . . .  r r r f r r",
	"id: empty":          ". r . . .  r r r f r r",
	"id: an object":      ". r . . .  r r r f r r",
	"id: a stranger's":   ". r f r f  r t t f t g",
	"name: a number":     "f r f r f  r r r f r r",
	"name: a stranger's": "f t f t f  t r t f t t",
	"name: not UTF-8":    ". r . . .  r r r f r r",
	"a date: a number":   "f r f r f  r r r f f r",
	"a date: words":      ". t . . .  t t t f f t",
	"a date: null":       "f t f f f  t t t f f t",
	"endless":            "f r f r f  r r r r r r",
}

// exceptions are outcomes of an operation with an answer where they differ from those of its kind.
var exceptions = map[string]outcome{
	// Another id is another provider of that name.
	"read OAuth provider, id: a stranger's": renewed,
	// Repositories have numbers for ids.
	"list repositories, id: a number":     taken,
	"list repositories, id: a stranger's": rejected,
	// A page is all that a deletion answers here, where the others answer no content.
	"delete OAuth provider, a page": rejected,
	"delete model price, a page":    rejected,
	// What is looked for isn't there, or is there at once.
	"find deployment, endless":             taken,
	"find integration, id: a stranger's":   rejected,
	"find integration, name: a stranger's": taken,
	// These lists are not in pages.
	"find tracing project, endless": taken,
	"list integrations, endless":    taken,
}

// expectation is the outcome of an operation of a kind, if it is tried with the answer.
func expectation(operation, answer, kind string) (outcome, bool) {
	if special, is := exceptions[operation+", "+answer]; is {
		return special, true
	}
	want := strings.Fields(outcomes[answer])[slices.Index(kinds, kind)]
	return map[string]outcome{"r": rejected, "f": fine, "t": taken, "g": gone}[want], want != "."
}
