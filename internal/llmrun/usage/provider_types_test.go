package usage

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
)

// TestProviderTypes reads every field of the usage types that the providers' packages declare, alone beside the totals of both
// sides: each must count as the list says, or be kept aside for a reason.
//
// A type begins with its package and version, and has the fields that all of its blocks need, as JSON with 1000 for the
// totals. A field has its path, and where its count ends: "input", "output" or "total" for the totals; a side and a kind,
// followed by "+" if the total of the side doesn't include it; a cost; "-" and the reason why it doesn't count; or "tier".
func TestProviderTypes(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/types.txt")
	assert.Must(t, err)
	defer file.Close()
	var of, block string
	fields := 0
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		line := scanner.Text()
		words := strings.Fields(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '{':
			block = line
		case line[0] != ' ':
			of, block = line, "{}"
		default:
			fields++
			checkField(t, of, block, words[0], strings.Join(words[1:], " "))
		}
	}
	if fields < 200 {
		t.Errorf("%d fields, want at least 200", fields)
	}
}

// checkField sets a field to 7 and compares what the block says.
func checkField(t *testing.T, of, block, path, want string) {
	t.Helper()
	var value any = json.Number("7")
	if tier, ok := strings.CutPrefix(want, "tier "); ok {
		value, want = tier, "input "+tiers[strings.ToLower(tier)]+" of 1000, output "+tiers[strings.ToLower(tier)]+" of 1000"
	}
	if want == "total" {
		block = "{}"
	}
	got := readBlock(t, of+", "+path, withField(t, block, path, value))
	if _, aside := strings.CutPrefix(want, "- "); aside {
		bare, _ := (&answer{}).providerUsage(*newBlock(newFound([]byte(block), "")))
		assert.Same(t, fmt.Sprintf("%s, %s is kept aside, but counts", of, path), bare, got)
		return
	}
	assert.Same(t, fmt.Sprintf("%s, %s", of, path), want, strings.Join(whereIs(got), ", "))
}

// readBlock reads the usage of an answer, which must have no problem.
func readBlock(t *testing.T, what, block string) Usage {
	t.Helper()
	answer := newAnswer([]byte(`{"usage":`+block+`}`), "")
	answer.read()
	var u Usage
	for _, b := range answer.blocks {
		read, problems := answer.providerUsage(*b)
		for _, p := range problems {
			t.Errorf("%s: %s", what, p)
		}
		u = read
	}
	return u
}

// whereIs lists where 7 tokens or dollars are in a usage, or what else it has besides totals of 1000.
func whereIs(u Usage) []string {
	var places []string
	for _, side := range []struct {
		name    string
		total   *int64
		details Counts
		costs   Costs
	}{
		{"input", u.Input.Tokens, u.Input.Details, u.Input.CostDetails},
		{"output", u.Output.Tokens, u.Output.Details, u.Output.CostDetails},
	} {
		added := ""
		switch total := orZero(side.total); {
		case total == 7 && side.details == nil:
			places = append(places, side.name)
		case total == 7 || total == 1007:
			added = " +"
		case total != 1000 && total != 0:
			places = append(places, fmt.Sprintf("%s of %d", side.name, total))
		}
		for _, kind := range slices.Sorted(maps.Keys(side.details)) {
			switch n := side.details[kind].String(); n {
			case "7":
				places = append(places, side.name+" "+kind+added)
			default:
				places = append(places, side.name+" "+kind+" of "+n)
			}
		}
		for _, kind := range slices.Sorted(maps.Keys(side.costs)) {
			places = append(places, side.name+" cost of "+kind)
		}
	}
	if orZero(u.TotalTokens) == 7 && places == nil {
		places = append(places, "total")
	}
	for name, cost := range map[string]*decimal.Decimal{"input_cost": u.Input.Cost, "output_cost": u.Output.Cost, "total_cost": u.TotalCost} {
		switch {
		case cost == nil || cost.String() == "1000":
		case cost.String() == "7":
			places = append(places, name)
		default:
			places = append(places, name+" of "+cost.String())
		}
	}
	return places
}

// withField sets a field of a block. In a path, [key=value] is an element of a list with that member.
func withField(t *testing.T, block, path string, value any) string {
	t.Helper()
	var root map[string]any
	d := json.NewDecoder(strings.NewReader(block))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		t.Fatalf("%v in %s", err, block)
	}
	at := root
	steps := strings.Split(path, ".")
	for _, step := range steps[:len(steps)-1] {
		name, selector, inList := strings.Cut(strings.TrimSuffix(step, "]"), "[")
		inner, _ := at[name].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
		}
		if key, selected, ok := strings.Cut(selector, "="); ok {
			inner[key] = selected
		}
		if at[name] = inner; inList {
			at[name] = []any{inner}
		}
		at = inner
	}
	at[steps[len(steps)-1]] = value
	out, err := json.Marshal(root)
	assert.Must(t, err)
	return string(out)
}
