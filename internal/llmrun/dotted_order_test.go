package llmrun

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// ids are IDs of runs.
var ids = []uuid.UUID{
	uuid.MustParse("0c84ee2a-15a0-4b0e-9d4f-6a1f3b1c2d3e"),
	uuid.MustParse("a54c1f00-0000-7000-8000-000000000001"),
	uuid.MustParse("01a1fb6f-924d-7000-8000-00d1858fd5af"),
	uuid.MustParse("01a1fb6f-924d-7000-8000-00d1858fd5b0"),
}

const (
	rootPart  = "20251222T234308012678Z0c84ee2a-15a0-4b0e-9d4f-6a1f3b1c2d3e"
	childPart = "20251222T234308014739Za54c1f00-0000-7000-8000-000000000001"
	early     = "20251222T234308012677Za54c1f00-0000-7000-8000-000000000001"
)

func at(t testing.TB, s string) time.Time {
	t.Helper()
	parsed, err := timestamp.Parse(s)
	assert.Must(t, err)
	return parsed
}

func TestDottedOrder(t *testing.T) {
	t.Parallel()
	root := NewDottedOrder(nil, at(t, "2025-12-22T23:43:08.012678Z"), ids[0])
	child := NewDottedOrder(root, at(t, "2025-12-23T00:43:08.014739+01:00"), ids[1])
	grandchild := NewDottedOrder(child, at(t, "2025-12-22T23:43:09Z"), ids[2])
	other := NewDottedOrder(child, at(t, "2025-12-22T23:43:09Z"), ids[3])
	assert.Same(t, "dotted order", rootPart+"."+childPart, child.String())
	if grandchild.String() == other.String() {
		t.Error("two children of a parent share memory: one has overwritten the other")
	}
	parsed, err := ParseDottedOrder(grandchild.String())
	assert.Must(t, err)
	assert.Same(t, "parsed", grandchild, parsed)
	if parsed.TraceID() != ids[0] || parsed.ParentRunID() != ids[1] || root.ParentRunID() != uuid.Nil {
		t.Errorf("trace = %s, parent = %s; want %s, %s, and no parent of the root", parsed.TraceID(), parsed.ParentRunID(), ids[0], ids[1])
	}
	assert.Same(t, "IDs of parents", ids[:2], parsed.ParentRunIDs())
	if last, ok := parsed.Last(); !ok || last.ID != ids[2] {
		t.Errorf("last = %v, want the run %s", last, ids[2])
	}
	var none DottedOrder
	if _, ok := none.Last(); ok || none.TraceID() != uuid.Nil || len(none.ParentRunIDs()) != 0 || none.String() != "" {
		t.Error("an empty order has a run, a trace or a text")
	}
	// The texts sort parents before children, and children by their start.
	if root.String() >= child.String() || child.String() >= grandchild.String() {
		t.Error("the texts don't sort in the order of the trace")
	}
}

func TestParseDottedOrderRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": `invalid 'dotted_order': invalid timestamp in dotted_order  at index 0: parsing time`,
		"20251208T144553541735000Z" + ids[0].String():      `invalid 'dotted_order': invalid timestamp in dotted_order 20251208T144553541735000 at index 0: parsing time`,
		"20250930T162253111Z" + ids[0].String():            `invalid timestamp in dotted_order 20250930T162253111 at index 0: parsing time`,
		"20250930T162253.111000Z" + ids[0].String():        `invalid timestamp in dotted_order 20250930T162253 at index 0: parsing time "20250930T162253": six fractional`,
		"20251322T234308012678Z" + ids[0].String():         `invalid timestamp in dotted_order 20251322T234308012678 at index 0`,
		"20251222T234308+12678Z" + ids[0].String():         `invalid timestamp in dotted_order 20251222T234308+12678 at index 0`,
		"20251222T234308012678Z" + strings.Repeat("z", 36): `invalid run id in dotted_order`,
		rootPart + ".x": `invalid timestamp in dotted_order x at index 1`,
		rootPart + ".":  `invalid timestamp in dotted_order  at index 1`,
		rootPart + "." + strings.TrimSuffix(childPart, "1"):                     `invalid run id in dotted_order "a54c1f00-0000-7000-8000-00000000000" at index 1`,
		"20251222T234308012678Z" + strings.ReplaceAll(ids[0].String(), "-", ""): `invalid run id in dotted_order`,
		"20251222T234308012678" + ids[0].String():                               `invalid timestamp in dotted_order`,
	} {
		_, err := ParseDottedOrder(text)
		refused, ok := errors.AsType[*DottedOrderError](err)
		if !ok {
			t.Errorf("%q: error = %v, want a problem", text, err)
			continue
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n got %q\nwant %q", text, err, want)
		}
		if refused.Rule != ruleDottedOrderFormat || refused.Remedy == "" {
			t.Errorf("%q: rule = %q, remedy = %q; want %q and a remedy", text, refused.Rule, refused.Remedy, ruleDottedOrderFormat)
		}
	}
}

// TestDottedOrderCheck expects the error texts of the real service.
func TestDottedOrderCheck(t *testing.T) {
	t.Parallel()
	root, child := ids[0], ids[1]
	for name, tc := range map[string]struct {
		order             string
		id, trace, parent uuid.UUID
		rule, want        string
	}{
		"a root":  {rootPart, root, root, uuid.Nil, "", ""},
		"a child": {rootPart + "." + childPart, child, root, root, "", ""},
		"a root with two parts": {rootPart + "." + childPart, child, root, uuid.Nil, ruleDottedOrderParts,
			"dotted_order must contain a single part for root runs for run_id:" + child.String() + " trace_id:" + root.String() +
				" dotted_order:" + rootPart + "." + childPart + " parent_run_id:<nil>"},
		"a child with one part": {childPart, child, child, root, ruleDottedOrderParts,
			"dotted_order must contain at least two parts for child runs for run_id:" + child.String() + " trace_id:" + child.String() +
				" dotted_order:" + childPart + " parent_run_id:" + root.String()},
		"another trace": {rootPart, root, child, uuid.Nil, ruleDottedOrderTraceID,
			"trace_id " + child.String() + " does not match first part of dotted_order " + rootPart + " for run_id:" + root.String()},
		"another run": {rootPart + "." + childPart, ids[2], root, root, ruleDottedOrderID,
			"run_id " + ids[2].String() + " does not match last part of dotted_order"},
		"another parent": {rootPart + "." + childPart, child, root, ids[2], ruleDottedOrderParentRunID,
			"parent_run_id " + ids[2].String() + " does not match second-to-last part of dotted_order"},
		"before its parent": {rootPart + "." + early, child, root, root, ruleDottedOrderTime,
			"dotted_order has timestamp 2025-12-22 23:43:08.012677 earlier than parent timestamp 2025-12-22 23:43:08.012678"},
		"all wrong: the number of parts comes first": {rootPart + "." + early, ids[2], ids[2], uuid.Nil, ruleDottedOrderParts, "dotted_order must contain a single part"},
		"then the trace":  {rootPart + "." + early, ids[2], ids[2], ids[2], ruleDottedOrderTraceID, "trace_id"},
		"then the run":    {rootPart + "." + early, ids[2], root, ids[2], ruleDottedOrderID, "run_id"},
		"then the parent": {rootPart + "." + early, child, root, ids[2], ruleDottedOrderParentRunID, "parent_run_id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			order, err := ParseDottedOrder(tc.order)
			assert.Must(t, err)
			err = order.Check(tc.id, tc.trace, tc.parent)
			if tc.rule == "" {
				assert.Must(t, err)
				return
			}
			refused, ok := errors.AsType[*DottedOrderError](err)
			if !ok {
				t.Fatalf("error = %v, want a problem", err)
			}
			if refused.Rule != tc.rule || refused.Remedy == "" {
				t.Errorf("rule = %q, want %q; remedy = %q, want one", refused.Rule, tc.rule, refused.Remedy)
			}
			if want := "invalid 'dotted_order': " + tc.want; !strings.HasPrefix(err.Error(), want) {
				t.Errorf("\n got %q\nwant %q", err, want)
			}
		})
	}
}

func FuzzParseDottedOrder(f *testing.F) {
	for _, s := range []string{"", rootPart, rootPart + "." + childPart, "20251208T144553541735000Z" + ids[0].String(), "Z.Z", strings.ToUpper(rootPart)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		order, err := ParseDottedOrder(s)
		if err != nil {
			return
		}
		// Only the case of hexadecimal digits may change.
		if got := order.String(); !strings.EqualFold(got, s) {
			t.Fatalf("%q was parsed and formatted as %q", s, got)
		}
		if len(order) == 1 {
			assert.Must(t, order.Check(order.TraceID(), order.TraceID(), uuid.Nil))
		}
	})
}

// TestDottedOrderDigits checks that times have the same digits as dotted orders, because clients compare them.
func TestDottedOrderDigits(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 1, 9, 15, 597_001_999, time.FixedZone("", 3600))
	order, _, _ := strings.Cut(NewDottedOrder(nil, at, ids[0]).String(), "Z")
	if digits := strings.NewReplacer("-", "", ":", "", ".", "", "Z", "").Replace(timestamp.Format(at)); digits != order {
		t.Errorf("digits of the time = %s, want those of the dotted order, %s", digits, order)
	}
}
