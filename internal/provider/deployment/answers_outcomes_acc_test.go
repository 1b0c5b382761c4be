package deployment_test

import (
	"slices"
	"strings"
)

// kinds are the columns of outcomes.
var kinds = []string{"create", "read", "update", "delete", "look", "find", "list", "statistics", "runs", "read in list"}

// outcomes are the outcomes by response and, in the order of kinds, by operation: (r)ejected, (f)ine, (t)aken, (g)one or, with a dot, not tried.
// A write has been processed, and the provider finds that out: a create and an update read the object. The response to a deletion doesn't
// matter.
var outcomes = map[string]string{
	"nothing":            "f r f f  r r r r r r",
	"spaces":             ". r . .  r r r r r r",
	"no content":         ". r . .  r r r r r r",
	"a page":             "f r f f  r r r r r r",
	"a page as JSON":     ". r . .  r r r r r r",
	"half of it":         "f r f f  r r r r r r",
	"null":               "f r f f  r r r r r r",
	"a text":             ". r . .  r r r r r r",
	"a number":           ". r . .  r r r r r r",
	"true":               ". r . .  r r r r r r",
	"an empty object":    "f r f f  r r r r r r",
	"a list in a list":   ". r . .  r r r r r r",
	"in an envelope":     ". r . .  r r r r r r",
	"an error":           ". r . .  r r r r r r",
	"words":              "f r f f  r r r r r r",
	"deep":               "f r f f  r r r r r r",
	"deep and closed":    ". r . .  r r r r r r",
	"a mark before":      ". r . .  r r r r r r",
	"more after it":      "f r f f  r r r r r r",
	"a page after it":    ". r . .  r r r r r r",
	"a guard before":     ". r . .  r r r r r r",
	"single quotes":      ". r . .  r r r r r r",
	"UTF-16":             ". r . .  r r r r r r",
	"a NUL":              ". r . .  r r r r r r",
	"no gzip":            ". r . .  r r r r r r",
	"of type HTML":       ". r . .  r r r r r r",
	"as a text":          ". f . .  f f f f f f",
	"as nothing known":   ". f . .  f f f f f f",
	"created":            "f f f f  f f f f f f",
	"accepted":           ". f . .  f f f f f f",
	"additional members": "f f f f  f f f f f f",
	"id: a number":       ". r . .  r r r f r r",
	"id: null":           "f r f f  r r r f r r",
	"id: missing":        ". r . .  r r r f r r",
	"id: empty":          ". r . .  r r r f r r",
	"id: an object":      ". r . .  r r r f r r",
	"id: a stranger's":   ". r f f  r t t f t g",
	"name: a number":     "f r f f  r r r f r r",
	"name: a stranger's": "f t f f  t r t f t t",
	"name: not UTF-8":    ". r . .  r r r f r r",
	"a date: a number":   "f r f f  r r r f f r",
	"a date: words":      ". t . .  t t t f f t",
	"a date: null":       "f t f f  t t t f f t",
	"endless":            "f r f f  r r r r r r",
}

// exceptions are outcomes of an operation with a response that differ from those of its kind.
var exceptions = map[string]outcome{
	// Another ID means another provider with that name.
	"read OAuth provider, id: a stranger's":    renewed,
	"look up OAuth provider, id: a stranger's": taken,
	// Repositories have numbers as IDs.
	"list repositories, id: a number":     taken,
	"list repositories, id: a stranger's": rejected,
	// The object isn't found, or is found at once.
	"find deployment, endless":             taken,
	"find integration, id: a stranger's":   rejected,
	"find integration, name: a stranger's": taken,
	// The name belongs to another project, or to none.
	"list runs of deployment, name: a stranger's":               rejected,
	"look up tracing project of deployment, name: a stranger's": rejected,
	"find project of logged run, name: a stranger's":            warned,
	"find project of logged run, id: a stranger's":              warned,
	// Reading a single one shows its owner.
	"poll revision, id: a stranger's":       warned,
	"poll newer revision, id: a stranger's": rejected,
	"see logged run, id: a stranger's":      warned,
	"find project of logged run, endless":   warned,
	// These lists have no pages.
	"list runs of named project, endless": taken,
	"find tracing project, endless":       taken,
	"list integrations, endless":          taken,
	"list OAuth providers, endless":       taken,
}

// waits are the kinds of requests during a creation or an update. The result follows from that of a
// read that gets the same response.
var waits = map[string]func(look outcome) outcome{
	// One wrong response doesn't end a wait, and a write of an object with a client-chosen ID is sent again.
	"create once": func(outcome) outcome { return fine },
	// No other response ends it before its deadline.
	"create waited": orFine(warned), // It must not taint.
	"update waited": orFine(rejected),
	// A creation that must not fail.
	"create seen": orFine(warned),
	// The response only adds optional details.
	"create linked":      func(outcome) outcome { return taken },
	"create told waited": func(outcome) outcome { return failed },
}

// orFine returns the outcome if a read is rejected.
func orFine(otherwise outcome) func(outcome) outcome {
	return func(look outcome) outcome {
		if look == rejected {
			return otherwise
		}
		return fine
	}
}

// expectation returns the outcome of an operation of a kind, if it is tried with the response.
func expectation(operation, answer, kind string) (outcome, bool) {
	if special, is := exceptions[operation+", "+answer]; is {
		return special, true
	}
	of := func(kind string) (outcome, bool) {
		letter := strings.Fields(outcomes[answer])[slices.Index(kinds, kind)]
		return map[string]outcome{"r": rejected, "f": fine, "t": taken, "g": gone}[letter], letter != "."
	}
	if like, is := waits[kind]; is {
		look, _ := of("look")
		_, tried := of("create") // Each of these kinds is also a creation.
		return like(look), tried
	}
	want, tried := of(kind)
	if operation == "read logged run" && want == rejected { // It stays as it is.
		want = warned
	}
	return want, tried
}
