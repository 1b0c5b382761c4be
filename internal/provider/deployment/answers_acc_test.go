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
	// rejected is one error that names the operation and says what to do, and the state stays as it was. Of a write, whose work
	// was done, the object is named.
	rejected outcome = "rejected"
	// fine is as if the answer had been right: what is wrong doesn't matter, or the provider has found out by itself.
	fine outcome = "fine"
	// taken is an answer that can't be told from a right one: no error, and what the state has is known.
	taken outcome = "taken"
	// renewed is an answer that says that the object was deleted and made again: a warning says so.
	renewed outcome = "renewed"
	// warned is one warning that says what to do of a creation which must not fail; the next apply goes on with it.
	warned outcome = "warned"
	// failed is one error as of rejected, of an operation that fails in any case: the answer would only tell more.
	failed outcome = "failed"
	// gone is an answer that says that there is no such object: removed from the state with a warning.
	gone outcome = "gone"
)

// wrong makes a wrong answer of the right one.
type wrong func(answer *httptest.ResponseRecorder, r *http.Request)

// wrongly does the work and answers it wrongly. It tells if the answer has become another one: not each has each member.
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
		_, _ = w.Write(answer.Body.Bytes()) // The client may have had enough.
	}
}

// operation is something that the provider does, and the request of it that is answered wrongly.
type operation struct {
	// kind chooses the expectations. Of an operation of a resource, its first word is what is done.
	kind string
	// summary is how its error begins.
	summary string
	request string
	// times is how many of its requests are answered wrongly; zero means all.
	times int
	// prepare makes what the operation is about. What it returns does the operation, after arm, by a provider that hasn't asked
	// for anything before.
	prepare func(t *testing.T, plane *providertest.Plane, g *gate) func(t *testing.T, arm func()) observed
}

// observed is what came of an operation.
type observed struct {
	before, after tftypes.Value
	diags         []*tfprotov6.Diagnostic
	// right compares with what a right answer leads to, and resumed with what the next apply leads to after right answers.
	right, resumed func()
}

// resourceOperation is one of a resource; more changes the configuration for an update.
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
						t.Errorf("still in the state: %s", now.state)
					}
				case "read":
					if !now.state.Equal(before.state) {
						t.Errorf("the state became %s", now.state)
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

// lookOperation is one of a data source, which is looked up as prepare says.
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
					t.Errorf("it is %s, want %s", state, right)
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

// isWrite says of an operation of a kind that it can be done only once.
func isWrite(kind string) bool {
	return slices.Contains([]string{"create", "update", "delete"}, verbOf(kind))
}

// remedy is what a text has that says what to do.
var remedy = regexp.MustCompile(`(?i)\b(apply again|check (base_url|tracing_url|api_key|workspace_id|that|the )|lists the existing ones|import it|report it|correct the|compare it|look at|set |make sure|raise )`)

// expect holds what came of an operation against an outcome.
func (o observed) expect(t *testing.T, op operation, want outcome) {
	t.Helper()
	if want == gone {
		if len(o.diags) != 1 || hasError(o.diags) || !o.after.IsNull() {
			t.Errorf("want it removed with a warning, got %s %s", told(o.diags), o.after)
		}
		return
	}
	if want == renewed {
		if len(o.diags) != 1 || hasError(o.diags) || o.after.IsNull() {
			t.Errorf("want it kept with a warning, got %s %s", told(o.diags), o.after)
		}
		return
	}
	if want == warned {
		if len(o.diags) != 1 || hasError(o.diags) || o.after.IsNull() || !o.after.IsFullyKnown() || !remedy.MatchString(o.diags[0].Detail) {
			t.Errorf("want it kept with a warning that says what to do, got %s %s", told(o.diags), o.after)
			return
		}
		o.resumed()
		return
	}
	if want != rejected && want != failed {
		if len(o.diags) > 0 {
			t.Errorf("want no diagnostic, got %s", told(o.diags))
			return
		}
		if !o.after.IsFullyKnown() {
			t.Errorf("it isn't known: %s", o.after)
		}
		if want == fine {
			o.right()
		}
		return
	}
	if len(o.diags) != 1 || !hasError(o.diags) {
		t.Fatalf("want one error, got %q", told(o.diags))
	}
	text := told(o.diags)
	if !strings.Contains(text, op.summary) && !strings.Contains(o.diags[0].Summary, "not found") {
		t.Errorf("want %q, got %s", op.summary, text)
	}
	if !remedy.MatchString(o.diags[0].Detail) {
		t.Errorf("nothing says what to do: %s", text)
	}
	if len(text) > 2000 {
		t.Errorf("the text has %d bytes", len(text))
	}
	switch {
	case strings.HasSuffix(op.kind, " waited"): // What is waited for has happened.
		if o.after.IsNull() || !o.after.IsFullyKnown() {
			t.Errorf("the state became %s", o.after)
		} else if verbOf(op.kind) == "update" {
			o.resumed()
		}
	case verbOf(op.kind) == "read", isWrite(op.kind) && op.kind != "create":
		if !o.after.Equal(o.before) {
			t.Errorf("the state became %s, want %s", o.after, o.before)
		}
	}
}

// TestAccAnswers answers each operation in each wrong way.
func TestAccAnswers(t *testing.T) {
	t.Parallel()
	tryAnswers(t, operations, 200)
}

// TestAccAnswers_waits answers what follows a write in each wrong way.
func TestAccAnswers_waits(t *testing.T) {
	t.Parallel()
	tryAnswers(t, waitOperations, 100)
}

// tryAnswers tries a table that has at least that many rows.
func tryAnswers(t *testing.T, operations map[string]operation, atLeast int) {
	t.Helper()
	providertest.InOneDialect(t)
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
					plane = providertest.NewDev(t)
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
						t.Fatalf("%s wasn't asked, but %q", op.request, g.seen)
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
		t.Errorf("the table has %d rows", rows)
	}
}
