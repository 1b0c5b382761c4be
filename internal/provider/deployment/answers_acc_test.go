package deployment_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// outcome is the result of an operation that receives a wrong response.
type outcome string

const (
	// rejected is one error that names the operation and the next step, with an unchanged state. If a write, whose work
	// was done, is rejected, the error also names the object.
	rejected outcome = "rejected"
	// fine is the same result as after a right response: the mistake doesn't matter, or the provider corrects it.
	fine outcome = "fine"
	// taken is a response that can't be distinguished from a right one: no error, and no unknown values in the state.
	taken outcome = "taken"
	// renewed is a response as if the object had been deleted and created again: a warning says so.
	renewed outcome = "renewed"
	// warned is one warning with the next step, after a creation that must not fail; the next apply completes it.
	warned outcome = "warned"
	// failed is one error as in rejected, of an operation that fails in any case: the response would only add details.
	failed outcome = "failed"
	// gone is a response as if the object didn't exist: it is removed from state with a warning.
	gone outcome = "gone"
)

// wrong turns the right response into a wrong one.
type wrong func(answer *httptest.ResponseRecorder, r *http.Request)

// wrongly processes the request and returns a wrong response. It reports whether the response differs: not all responses have all members.
func wrongly(change wrong, changed *atomic.Bool) action {
	return func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		answer := httptest.NewRecorder()
		pass.ServeHTTP(answer, r)
		right := fmt.Sprint(answer.Code, answer.Header(), answer.Body)
		change(answer, r)
		if right != fmt.Sprint(answer.Code, answer.Header(), answer.Body) {
			changed.Store(true)
		}
		answer.Header().Del("Content-Length")
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()) // The client may have closed the connection.
	}
}

// operation is an operation of the provider, and the request in it that gets a wrong response.
type operation struct {
	// kind selects the expectations. For an operation of a resource, its first word is the verb.
	kind string
	// summary is the beginning of its error.
	summary string
	request string
	// times is the number of requests that get a wrong response; zero means all.
	times int
	// prepare creates the objects of the operation. It returns the operation, which calls arm first and then uses a provider that
	// hasn't cached anything.
	prepare func(t *testing.T, plane *providertest.Plane, g *gate) func(t *testing.T, arm func()) observed
}

// observed is the result of an operation.
type observed struct {
	before, after tftypes.Value
	diags         []*tfprotov6.Diagnostic
	// right compares the result with that of right responses, and resumed does so for the next apply after right responses.
	right, resumed func()
}

// resourceOperation returns an operation of a resource; more changes the configuration for an update.
func resourceOperation(typeName, kind, summary, request string, config func(*providertest.Plane) map[string]any, more map[string]any) operation {
	return operation{kind, summary, request, 0, func(t *testing.T, plane *providertest.Plane, g *gate) func(*testing.T, func()) observed {
		t.Helper()
		wanted, verb := config(plane), verbOf(kind)
		var before kept
		if d := driveType(t, plane, typeName); verb == "create" {
			before.state = d.null()
		} else {
			before = d.refreshed(d.made(kept{}, wanted))
		}
		return func(t *testing.T, arm func()) observed {
			t.Helper()
			d := driveType(t, plane, typeName)
			arm()
			var now kept
			var diags []*tfprotov6.Diagnostic
			switch verb {
			case "create":
				now, diags = d.apply(t.Context(), kept{}, wanted)
			case "read":
				now, diags = d.refresh(before)
			case "update":
				maps.Copy(wanted, more)
				now, diags = d.apply(t.Context(), before, wanted)
			case "delete":
				now, diags = d.apply(t.Context(), before, nil)
			}
			right := func() {
				t.Helper()
				switch verb {
				case "delete":
					if !now.state.IsNull() {
						t.Errorf("state = %s, want it removed", now.state)
					}
				case "read":
					if !now.state.Equal(before.state) {
						t.Errorf("state = %s, want it unchanged: %s", now.state, before.state)
					}
				default:
					g.reset()
					driveType(t, plane, typeName).settled(now, wanted)
				}
			}
			return observed{before.state, now.state, diags, right, func() {
				t.Helper()
				g.reset()
				d := driveType(t, plane, typeName)
				d.settled(d.made(d.refreshed(now), wanted), wanted)
			}}
		}
	}}
}

// lookOperation returns an operation of a data source, with the configuration from prepare.
func lookOperation(kind, typeName, summary, request string, prepare func(*testing.T, *providertest.Plane) map[string]any) operation {
	return operation{kind, summary, request, 0, func(t *testing.T, plane *providertest.Plane, g *gate) func(*testing.T, func()) observed {
		t.Helper()
		config := prepare(t, plane)
		return func(t *testing.T, arm func()) observed {
			t.Helper()
			d := drive(t, plane)
			arm()
			state, diags := d.look(typeName, config)
			right := func() {
				t.Helper()
				g.reset()
				if right, _ := drive(t, plane).look(typeName, config); !state.Equal(right) {
					t.Errorf("state = %s, want %s", state, right)
				}
			}
			return observed{tftypes.NewValue(state.Type(), nil), state, diags, right, nil}
		}
	}}
}

func verbOf(kind string) string {
	verb, _, _ := strings.Cut(kind, " ")
	return verb
}

// isWrite reports whether an operation of the kind can be done only once.
func isWrite(kind string) bool {
	return slices.Contains([]string{"create", "update", "delete"}, verbOf(kind))
}

// remedy matches a text with a next step.
var remedy = regexp.MustCompile(`(?i)\b(apply again|plan again|check (base_url|tracing_url|api_key|workspace_id|that|the )|lists the existing ones|import it|report it|correct the|compare it|look at|set |make sure|raise )`)

// expect compares the result of an operation with the expected outcome.
func (o observed) expect(t *testing.T, op operation, want outcome) {
	t.Helper()
	if want == gone {
		if len(o.diags) != 1 || hasError(o.diags) || !o.after.IsNull() {
			t.Errorf("diagnostics = %s, state = %s; want it removed with a warning", told(o.diags), o.after)
		}
		return
	}
	if want == renewed {
		if len(o.diags) != 1 || hasError(o.diags) || o.after.IsNull() {
			t.Errorf("diagnostics = %s, state = %s; want it kept with a warning", told(o.diags), o.after)
		}
		return
	}
	if want == warned {
		if len(o.diags) != 1 || hasError(o.diags) || o.after.IsNull() || !o.after.IsFullyKnown() || !remedy.MatchString(o.diags[0].Detail) {
			t.Errorf("diagnostics = %s, state = %s; want it kept with a warning with a next step", told(o.diags), o.after)
			return
		}
		o.resumed()
		return
	}
	if want != rejected && want != failed {
		if len(o.diags) > 0 {
			t.Errorf("diagnostics = %s, want none", told(o.diags))
			return
		}
		if !o.after.IsFullyKnown() {
			t.Errorf("state = %s, want no unknown values", o.after)
		}
		if want == fine {
			o.right()
		}
		return
	}
	if len(o.diags) != 1 || !hasError(o.diags) {
		t.Fatalf("diagnostics = %q, want one error", told(o.diags))
	}
	text := told(o.diags)
	if !strings.Contains(text, op.summary) && !strings.Contains(o.diags[0].Summary, "not found") {
		t.Errorf("error = %s, want %q", text, op.summary)
	}
	if !remedy.MatchString(o.diags[0].Detail) {
		t.Errorf("the error has no next step: %s", text)
	}
	if len(text) > 2000 {
		t.Errorf("the error has %d bytes, want at most 2000", len(text))
	}
	switch {
	case strings.HasSuffix(op.kind, " waited"): // The awaited state has been reached.
		if o.after.IsNull() || !o.after.IsFullyKnown() {
			t.Errorf("state = %s, want it kept without unknown values", o.after)
		} else if verbOf(op.kind) == "update" {
			o.resumed()
		}
	case verbOf(op.kind) == "read", isWrite(op.kind) && op.kind != "create":
		if !o.after.Equal(o.before) {
			t.Errorf("state = %s, want it unchanged: %s", o.after, o.before)
		}
	}
}

// TestAccAnswers returns each wrong response to each operation.
func TestAccAnswers(t *testing.T) {
	t.Parallel()
	tryAnswers(t, operations, 200)
}

// TestAccAnswers_waits returns each wrong response to the requests after a write.
func TestAccAnswers_waits(t *testing.T) {
	t.Parallel()
	tryAnswers(t, waitOperations, 100)
}

// tryAnswers runs the operations of a table with at least the given number of rows.
func tryAnswers(t *testing.T, operations map[string]operation, atLeast int) {
	t.Helper()
	rows := 0
	for name, op := range operations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var plane *providertest.Plane
			var g *gate
			var do func(*testing.T, func()) observed
			for kind, change := range wrongAnswers {
				want, expected := expectation(name, kind, op.kind)
				if !expected {
					continue
				}
				if do == nil || isWrite(op.kind) {
					plane = providertest.NewDev(t, unlagged) // It counts requests.
					plane.Setenv("AGENTPLANE_MAX_RETRIES", "1")
					g = gateTo(t, plane)
					do = op.prepare(t, plane, g)
				}
				t.Run(kind, func(t *testing.T) {
					request := plane.Dialect().Path(op.request)
					var changed atomic.Bool
					seen := do(t, func() {
						g.reset()
						g.when(request, cmp.Or(op.times, -1), wrongly(change, &changed))
					})
					if g.count(request) == 0 && len(g.seen) > 0 {
						t.Fatalf("%s wasn't requested, but %q", op.request, g.seen)
					}
					if !changed.Load() && want != failed {
						want = fine
					}
					seen.expect(t, op, want)
					g.reset()
				})
			}
		})
		for kind := range wrongAnswers {
			if _, expected := expectation(name, kind, op.kind); expected {
				rows++
			}
		}
	}
	if rows < atLeast {
		t.Errorf("the table has %d rows, want at least %d", rows, atLeast)
	}
}
