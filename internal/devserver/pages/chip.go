package pages

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// A search consists of chips, such as status:error or latency>2s, and of words. It can also be an expression of the filter language.

// term is a chip or a word of a search.
type term struct {
	said           string // As it was written.
	key, op, value string // Without a key, the value is a word.
	negated        bool
}

// chipKind is what a chip compares.
type chipKind struct {
	name, example string
	// expression translates a chip to the filter language.
	expression func(t term) (string, error)
	// ofCalls says that it is true of calls of models, which are usually below the root of a trace.
	ofCalls bool
}

// chipKinds are the chips that exist, in the order in which they are named.
var chipKinds = []chipKind{
	{"status", "status:error", oneOf("status", runStatuses), false},
	{"type", "type:tool", oneOf("run_type", run.Types), false},
	{"name", "name:agent", equal("name"), false},
	{"model", "model:gpt-4o", metadataEntry("ls_model_name"), true},
	{"tag", "tag:prod", tagged, false},
	{"latency", "latency>2s", number("latency", seconds), false},
	{"tokens", "tokens>1000", number("total_tokens", plainNumber), false},
	{"cost", "cost>0.1", number("total_cost", dollars), false},
	{"thread", "thread:t1", equal("thread_id"), false},
	{"user", "user:ada", equal("ls_user_id"), false},
	{"revision", "revision:v1", metadataEntry("revision_id"), false},
	{"metadata.KEY", "metadata.team:billing", nil, false},
	{"score.KEY", "score.correct<0.5", nil, false},
}

// chipPattern matches a key, an operator and a value.
var chipPattern = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*(?:\.[^:=<>!\s]+)?)(>=|<=|!=|:|=|>|<)(.+)$`)

// expressionPattern matches the beginning of an expression of the filter language.
var expressionPattern = regexp.MustCompile(`^\s*[a-z]+\(`)

// termsOf splits a search. Quotes keep a text with spaces together, and make a word of what would be a chip.
func termsOf(search string) (all []term) {
	for rest := strings.TrimSpace(search); rest != ""; rest = strings.TrimSpace(rest) {
		end, quoted := 0, false
		for end < len(rest) && (quoted || !strings.ContainsRune(" \t\r\n", rune(rest[end]))) {
			quoted = quoted != (rest[end] == '"')
			end++
		}
		said := rest[:end]
		rest = rest[end:]
		t := term{said: said, value: strings.ReplaceAll(said, `"`, "")}
		body := strings.TrimPrefix(said, "-")
		if found := chipPattern.FindStringSubmatch(body); len(found) == 4 && !strings.HasPrefix(found[3], "//") { // A URL is text.
			t.negated = body != said
			t.key, t.op, t.value = found[1], found[2], strings.ReplaceAll(found[3], `"`, "")
			if !strings.Contains(t.key, ".") {
				t.key = strings.ToLower(t.key)
			}
			if t.op == "!=" {
				t.op, t.negated = ":", !t.negated
			}
		}
		if t.value != "" {
			all = append(all, t)
		}
	}
	return all
}

// translated is a search in the filter language: conditions of a run, and of any run of its trace.
type translated struct{ run, trace string }

// translate translates the terms of a search. In a list of traces, chips about calls of models are about any run of a trace.
func translate(terms []term, traces bool) (translated, error) {
	var run []string
	var trace string
	for _, t := range terms {
		if t.key == "" {
			run = append(run, "search("+quoted(t.value)+")")
			continue
		}
		kind, err := kindOf(t)
		if err != nil {
			return translated{}, err
		}
		text, err := kind.expression(t)
		if err != nil {
			return translated{}, err
		}
		if t.negated {
			text = "not(" + text + ")"
		}
		switch {
		case traces && kind.ofCalls && t.negated:
			return translated{}, fmt.Errorf("%s: traces can't be searched for what they don't call: show all runs", t.said)
		case traces && kind.ofCalls && trace != "":
			return translated{}, fmt.Errorf("%s: traces can be searched for one %s only: show all runs", t.said, t.key)
		case traces && kind.ofCalls:
			trace = text
		default:
			run = append(run, text)
		}
	}
	return translated{all(run), trace}, nil
}

// kindOf returns what a chip compares, or says which there are.
func kindOf(t term) (chipKind, error) {
	if i := slices.IndexFunc(chipKinds, func(k chipKind) bool { return k.name == t.key }); i >= 0 && chipKinds[i].expression != nil {
		return chipKinds[i], nil
	}
	switch family, key, _ := strings.Cut(t.key, "."); {
	case key == "":
	case strings.EqualFold(family, "metadata"):
		return chipKind{expression: metadataEntry(key)}, nil
	case strings.EqualFold(family, "score"):
		return chipKind{expression: score(key)}, nil
	}
	var examples []string
	for _, k := range chipKinds {
		examples = append(examples, k.example)
	}
	return chipKind{}, fmt.Errorf("%s: there is no chip %q. There are %s. To search for the text, write it in quotes", t.said, t.key, strings.Join(examples, ", "))
}

// all joins conditions.
func all(conditions []string) string {
	if len(conditions) == 1 {
		return conditions[0]
	}
	if len(conditions) == 0 {
		return ""
	}
	return "and(" + strings.Join(conditions, ", ") + ")"
}

// quoted writes a text of the filter language.
func quoted(text string) string {
	encoded, _ := json.Marshal(text) // A text can always be encoded.
	return string(encoded)
}

// onlyEqual refuses to compare sizes of texts.
func onlyEqual(t term) error {
	if t.op != ":" && t.op != "=" {
		return fmt.Errorf("%s: %s has no order: write %s:%s", t.said, t.key, t.key, t.value)
	}
	return nil
}

func equal(field string) func(term) (string, error) {
	return func(t term) (string, error) { return "eq(" + field + ", " + quoted(t.value) + ")", onlyEqual(t) }
}

func oneOf(field string, values []string) func(term) (string, error) {
	return func(t term) (string, error) {
		if !slices.Contains(values, t.value) {
			return "", fmt.Errorf("%s: %s is one of %s", t.said, t.key, strings.Join(values, ", "))
		}
		return equal(field)(t)
	}
}

func tagged(t term) (string, error) { return "has(tags, " + quoted(t.value) + ")", onlyEqual(t) }

func metadataEntry(key string) func(term) (string, error) {
	return func(t term) (string, error) {
		return "and(eq(metadata_key, " + quoted(key) + "), eq(metadata_value, " + quoted(t.value) + "))", onlyEqual(t)
	}
}

// comparisons are the operators of the filter language by those of chips.
var comparisons = map[string]string{":": "eq", "=": "eq", ">": "gt", "<": "lt", ">=": "gte", "<=": "lte"}

func number(field string, read func(string) (float64, error)) func(term) (string, error) {
	return func(t term) (string, error) {
		n, err := read(t.value)
		if err != nil {
			return "", fmt.Errorf("%s: %w", t.said, err)
		}
		return comparisons[t.op] + "(" + field + ", " + strconv.FormatFloat(n, 'f', -1, 64) + ")", nil
	}
}

func score(key string) func(term) (string, error) {
	return func(t term) (string, error) {
		text, err := number("feedback_score", plainNumber)(t)
		return "and(eq(feedback_key, " + quoted(key) + "), " + text + ")", err
	}
}

// numberPattern keeps out infinity, and other texts that are numbers to a computer only.
var numberPattern = regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,15})?$|^\.[0-9]{1,15}$`)

func plainNumber(text string) (float64, error) {
	if !numberPattern.MatchString(text) {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return strconv.ParseFloat(text, 64)
}

func dollars(text string) (float64, error) { return plainNumber(strings.TrimPrefix(text, "$")) }

// seconds reads a duration. Without a unit, it is in seconds.
func seconds(text string) (float64, error) {
	if n, err := plainNumber(text); err == nil {
		return n, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration: write 500ms, 2s or 1m30s", text)
	}
	return d.Seconds(), nil
}

// chipOf returns a facet as a chip; empty if there is none for it.
func chipOf(f figure.Facet) string {
	value := f.Value
	key := map[string]string{"status": "status", "run_type": "type", "model": "model", "name": "name", "tag": "tag"}[f.Key]
	if f.Key == "metadata" {
		name, entry, _ := strings.Cut(value, ": ")
		key, value = "metadata."+name, entry
	}
	return chip(key, value)
}

// chip writes a chip; empty if there is none for the key or the value.
func chip(key, value string) string {
	if key == "" || value == "" || strings.ContainsAny(key, ":=<>! \t\r\n\"") || strings.Contains(value, `"`) {
		return ""
	}
	if strings.ContainsAny(value, " \t\r\n") {
		value = `"` + value + `"`
	}
	return key + ":" + value
}

// shownChips returns the terms of a search, each with the URL of the list without it.
func shownChips(at web.Address, terms []term) (chips []web.Chip) {
	for i, t := range terms {
		var others []string
		for k, other := range terms {
			if k != i {
				others = append(others, other.said)
			}
		}
		chips = append(chips, web.Chip{Text: t.said, WithoutURL: at.With("q", strings.Join(others, " "))})
	}
	return chips
}

// suggestions returns the chips that a search can be completed with: examples of all, and those of the facets.
func suggestions(facets []figure.Facet) (chips []string) {
	for _, f := range facets {
		if chip := chipOf(f); chip != "" {
			chips = append(chips, chip)
		}
	}
	for _, kind := range chipKinds {
		if !slices.ContainsFunc(chips, func(chip string) bool { return strings.HasPrefix(chip, kind.name+":") }) {
			chips = append(chips, kind.example)
		}
	}
	return chips
}
