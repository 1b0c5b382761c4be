package filter_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

func text(s string) filter.Value   { return filter.Value{Text: &s} }
func number(s string) filter.Value { return filter.Value{Number: &s} }
func truth(b bool) filter.Value    { return filter.Value{Bool: &b} }
func at(t time.Time) filter.Value  { return filter.Value{Time: &t} }

func eq(field filter.Field, value filter.Value) filter.Expr {
	return filter.Compare{Op: filter.Equal, Field: field, Value: value}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]filter.Expr{
		`eq(name, "chat")`:                 eq(filter.Name, text("chat")),
		`eq(name, 'add_negligible_value')`: eq(filter.Name, text("add_negligible_value")),
		`eq(id,"0c84")`:                    eq(filter.ID, text("0c84")),
		`  neq ( error , null ) `:          filter.Compare{Op: filter.NotEqual, Field: filter.Error, Value: filter.Value{Null: true}},
		`neq(error, None)`:                 filter.Compare{Op: filter.NotEqual, Field: filter.Error, Value: filter.Value{Null: true}},
		`gt(latency, 2.5)`:                 filter.Compare{Op: filter.Greater, Field: filter.Latency, Value: number("2.5")},
		`lte(total_cost, 1e-6)`:            filter.Compare{Op: filter.LessOrEqual, Field: filter.TotalCost, Value: number("1e-6")},
		`lt(total_tokens, -1)`:             filter.Compare{Op: filter.Less, Field: filter.TotalTokens, Value: number("-1")},
		`eq(is_root, true)`:                eq(filter.IsRoot, truth(true)),
		`eq(is_root, "True")`:              eq(filter.IsRoot, truth(true)),
		`gte(start_time, "2026-01-02T03:04:05Z")`: filter.Compare{Op: filter.GreaterOrEqual, Field: filter.StartTime,
			Value: at(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))},
		`gte(start_time, "2026-01-02T03:04:05.25+01:00")`: filter.Compare{Op: filter.GreaterOrEqual, Field: filter.StartTime,
			Value: at(time.Date(2026, 1, 2, 2, 4, 5, 250_000_000, time.UTC))},
		`lt(start_time, "2026-01-02T03:04:05")`: filter.Compare{Op: filter.Less, Field: filter.StartTime,
			Value: at(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))},
		`lt(end_time, "2026-01-02")`: filter.Compare{Op: filter.Less, Field: filter.EndTime,
			Value: at(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))},
		`has(tags, "prod")`:              filter.Has{Field: filter.Tags, Value: text("prod")},
		`search("Wo ist \"mein\" Geld")`: filter.Search{Text: `Wo ist "mein" Geld`},
		`in(run_type, ["llm", 'chain'])`: filter.In{Field: filter.RunType, Values: []filter.Value{text("llm"), text("chain")}},
		`in(id, [])`:                     filter.In{Field: filter.ID, Values: []filter.Value{}},
		`in(id, ["a",])`:                 filter.In{Field: filter.ID, Values: []filter.Value{text("a")}},
		`not(has(tags, "x"))`:            filter.Not{filter.Has{Field: filter.Tags, Value: text("x")}},
		`and(eq(metadata_key,"test_run"),eq(metadata_value,"a"))`: filter.And{[]filter.Expr{
			eq(filter.MetadataKey, text("test_run")), eq(filter.MetadataValue, text("a"))}},
		`or(eq(metadata_value, 7), eq(metadata_value, false), and(eq(thread_id, "t")))`: filter.Or{[]filter.Expr{
			eq(filter.MetadataValue, number("7")), eq(filter.MetadataValue, truth(false)),
			filter.And{[]filter.Expr{eq(filter.ThreadID, text("t"))}}}},
		`gt(latency, "1m30s")`:         filter.Compare{Op: filter.Greater, Field: filter.Latency, Value: number("90")},
		`lt(latency, "250ms")`:         filter.Compare{Op: filter.Less, Field: filter.Latency, Value: number("0.25")},
		`eq(is_root, 1)`:               eq(filter.IsRoot, truth(true)),
		`eq(feedback_score, false)`:    eq(filter.FeedbackScore, number("0")),
		`search(name, "x")`:            filter.Like{Field: filter.Name, Pattern: "x", Contains: true},
		`notlike(inputs, "%x%")`:       filter.Not{filter.Like{Field: filter.Inputs, Pattern: "%x%"}},
		`exists(error)`:                filter.Compare{Op: filter.NotEqual, Field: filter.Error, Value: filter.Value{Null: true}},
		`gt(prompt_cost_details.x, 1)`: filter.Compare{Op: filter.Greater, Field: "prompt_cost_details.x", Value: number("1")},
		`has(metadata, '{"a": {"b": 1.0}, "c": ["x"]}')`: filter.And{[]filter.Expr{
			filter.And{[]filter.Expr{eq(filter.MetadataKey, text("a"))}},
			filter.And{[]filter.Expr{eq(filter.MetadataKey, text("a.b")), eq(filter.MetadataValue, number("1.0"))}},
			filter.And{[]filter.Expr{eq(filter.MetadataKey, text("c")), eq(filter.MetadataValue, text(`["x"]`))}}}},
		`eq(name, "a\\b\n\t\u00e4\'\q")`:               eq(filter.Name, text("a\\b\n\tä'q")),
		`eq(name, "\ud83d\ude00 \UD83D \ud83dx \u20")`: eq(filter.Name, text("😀 UD83D \ufffdx u20")), // Python escapes so.
		`eq(name, "")`: eq(filter.Name, text("")),
	} {
		got, err := filter.Parse(source)
		devservertest.Must(t, err)
		devservertest.Same(t, source, want, got)
	}
}

func TestParseSaysWhereItFails(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		``:                            `1: expected a condition such as eq(name, "chat"), found the end`,
		`"chat"`:                      `1: expected a condition such as eq(name, "chat"), found "chat"`,
		`equals(name, "a")`:           `1: unknown operator "equals": use one of and, or, not, in, has, search, like, notlike, exists, eq, neq, gt, gte, lt, lte`,
		`eq name`:                     `4: expected "(", found name`,
		`eq(nam, "a")`:                `4: unknown field "nam": use one of ` + strings.Join(filter.Fields(), ", "),
		`eq("name", "a")`:             `4: expected a field, found "name"`,
		`eq(name "a")`:                `9: expected ",", found "a"`,
		`eq(name, a)`:                 `10: expected a value for name, found a; strings must be quoted`,
		`eq(name, "a"`:                `13: expected ")", found the end`,
		`eq(name, "a`:                 `10: the string that starts here has no closing "`,
		`eq(name, "ä") eq(name, "b")`: `15: unexpected eq after the end of the filter; combine conditions with and(…)`,
		`eq(name, 7)`:                 `10: name is a string, found 7`,
		`gt(latency, "2")`:            `13: latency is a number of seconds, or a duration such as "5s", found "2"`,
		`gt(latency, 2.5.1)`:          `13: "2.5.1" is not a number`,
		`gt(latency, null)`:           `13: gt can't compare with null: use eq or neq`,
		`gt(is_root, true)`:           `1: gt can't compare is_root, which is true or false: use eq or neq`,
		`eq(is_root, "maybe")`:        `13: is_root is true or false, found "maybe"`,
		`eq(start_time, "yesterday")`: `16: start_time is a time such as "2026-01-02T03:04:05Z", found "yesterday"`,
		`eq(tags, "a")`:               `1: eq can't be used with tags, which is a list: use has(tags, "…")`,
		`has(name, "a")`:              `1: has needs a list, and name is a string: use eq(name, …)`,
		`has(tags, null)`:             `11: tags is never null`,
		`in(id, "a")`:                 `8: expected "[", found "a"`,
		`in(id, ["a" "b"])`:           `13: expected "," or "]", found "b"`,
		`search(7)`:                   `8: search takes a string, such as search("refund"), found 7`,
		`search(nam, "a")`:            `8: unknown field "nam": use one of ` + strings.Join(filter.Fields(), ", "),
		`search(name)`:                `12: expected ",", found )`,
		`like(latency, "5")`:          `1: like can't be used with latency: it matches inputs, outputs and strings such as name`,
		`notlike(metadata_key, "5")`:  `1: notlike can't be used with metadata_key: it matches inputs, outputs and strings such as name`,
		`like(name, "` + strings.Repeat("a", 1001) + `")`: `12: a pattern can have at most 1000 bytes`,
		`like(name, 5)`:                     `12: expected a string, found 5`,
		`gt(latency, "5 parsecs")`:          `13: latency is a number of seconds, or a duration such as "5s", found "5 parsecs"`,
		`eq(inputs, "a")`:                   `1: eq can't be used with inputs, which is an object: use like(inputs, "…"), or the key and value of an entry`,
		`eq(metadata, "a")`:                 `1: eq can't be used with metadata, which is an object: use has(metadata, '{"key": "value"}')`,
		`in(outputs, ["a"])`:                `1: in can't be used with outputs, which is an object`,
		`has(metadata, "team")`:             `15: metadata takes a JSON object, such as has(metadata, '{"team": "a"}'), found "team"`,
		`has(metadata, '{"a":null}')`:       `15: metadata entries are never null`,
		`has(metadata, '{"a":{"b":null}}')`: `15: metadata entries are never null`,
		`eq(prompt_token_details, 1)`:       `4: unknown field "prompt_token_details": use one of ` + strings.Join(filter.Fields(), ", "),
		`and(eq(name, "a"); or())`:          `18: unexpected ';'`,
		`in(tags, ["a"])`:                   `1: in can't be used with tags, which is a list: use or(has(tags, "…"), …)`,
		`and()`:                             `5: expected a condition such as eq(name, "chat"), found )`,
		strings.Repeat("not(", 60):          `201: conditions are nested more than 50 deep`,
		`eq(metadata_value, ["a"])`:         `20: expected a value for metadata_value, found [; strings must be quoted`,
		"eq(name,\n\"a\") # and so on":      `15: unexpected '#'`,
	} {
		got, err := filter.Parse(source)
		if _, ok := errors.AsType[*filter.SyntaxError](err); !ok {
			t.Fatalf("Parse = %v, %v; want a SyntaxError", got, err)
		}
		want := "invalid filter at character " + strings.ReplaceAll(want, `";" has`, `';' has`)
		devservertest.Same(t, source, want, err.Error())
	}
}

// TestParseBounds checks that filters are limited to the number of conditions and values that the database supports.
func TestParseBounds(t *testing.T) {
	t.Parallel()
	list := func(n int) string { return `in(id, [` + strings.Repeat(`"a", `, n) + `])` }
	terms := func(n int) string { return `or(` + strings.Repeat(`eq(id, "a"), `, n) + `eq(id, "a"))` }
	entries := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"k%d": 1`, i))
		}
		return strings.Join(all, ", ")
	}
	searches := func(n int) string { return `or(` + strings.Repeat(`search("a"), `, n) + `eq(id, "a"))` }
	const (
		tooMany      = "a filter can have at most 2000 conditions and values: split it into several queries"
		tooLong      = "a filter can have at most 262144 bytes: split it into several queries"
		tooMuchToDo  = "a filter can search for at most 20 texts: split it into several queries"
		longestFirst = `eq(name, "`
	)
	for source, problem := range map[string]string{
		list(1999): "", list(2000): tooMany, terms(998): "", terms(999): tooMany,
		searches(20): "", searches(21): tooMuchToDo,
		`not(` + terms(999) + `)`: tooMany, `has(metadata, '{` + entries(2000) + `}')`: tooMany,
		longestFirst + strings.Repeat("a", 256<<10-len(longestFirst+`")`)) + `")`: "",
		longestFirst + strings.Repeat("a", 256<<10) + `")`:                        tooLong, strings.Repeat("(", 9<<20): tooLong,
	} {
		_, err := filter.Parse(source)
		if problem == "" && err != nil {
			t.Errorf("%.30s… of %d characters: error = %v, want none", source, len(source), err)
		}
		if problem != "" && (err == nil || !strings.HasSuffix(err.Error(), problem)) {
			t.Errorf("%.30s… of %d characters: error = %v, want %q", source, len(source), err, problem)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, source := range []string{
		`and(eq(metadata_key,"a"),not(in(id,['x'])))`, `gt(latency, 1e5)`, `search("\u00e4")`, `eq(name, "`, `((((`,
	} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if e, err := filter.Parse(source); (e == nil) != (err != nil) {
			t.Errorf("Parse = %v, %v; want either a result or an error", e, err)
		}
	})
}
