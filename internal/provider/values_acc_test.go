package provider_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest/core"
)

// TestAccValues_unraced sets each attribute of each schema, at any depth, to values of all kinds: null, empty, unknown, odd, huge, and the same
// for elements and keys. The configurations of the examples are what it changes. No diagnostic may be a riddle, or show a secret, no
// unknown value may be refused, nor what the service's document allows, and what passes validation is planned, applied and destroyed by
// core's rules. Values of mocks pass validation.
func TestAccValues_unraced(t *testing.T) {
	t.Parallel()
	counts, document := &valueCounts{}, readRequestsDocument(t)
	t.Run("all", func(t *testing.T) {
		for title, schema := range schemas(t) {
			kind, name, _ := strings.Cut(title, " ")
			if kind == "provider" {
				name = "agentplane"
			}
			t.Run(title, func(t *testing.T) {
				t.Parallel()
				w := newValueWalk(t, kind, name, counts, document)
				w.schema = schema
				for _, base := range w.bases() {
					config, _ := base.(map[string]any)
					w.walk(vary(schema.Block.Attributes, config, casesOf), config)
					if kind == "resource" || kind == "data" || kind == "action" { // There are no mocks of others.
						w.walkMocks(vary(schema.Block.Attributes, config, mocksOf))
					}
				}
			})
		}
		for name, f := range start(t, nil).schema.Functions {
			t.Run("function "+name, func(t *testing.T) {
				t.Parallel()
				w := newValueWalk(t, "function", name, counts, document)
				for _, base := range w.bases() {
					w.walkFunction(f, base.([]any))
				}
			})
		}
	})
	t.Logf("%d values were tried: %d were refused, %d resources created; the document describes %d",
		counts.tried.Load(), counts.refused.Load(), counts.done.Load(), counts.described.Load())
	if tried, described := counts.tried.Load(), counts.described.Load(); !t.Failed() && (tried < leastValues || described < leastDescribed) {
		t.Errorf("%d values were tried, want %d at least; the document describes %d, want %d", tried, leastValues, described, leastDescribed)
	}
}

// leastValues and leastDescribed fail a walk that has lost its way.
const leastValues, leastDescribed = 3000, 150

type valueCounts struct{ tried, refused, done, described atomic.Int64 }

// valueWalk is the walk over one schema.
type valueWalk struct {
	t          *testing.T
	plane      *providertest.Plane
	server     everything
	start      func() (tfprotov6.ProviderServer, error)
	kind, name string
	schema     *tfprotov6.Schema
	counts     *valueCounts
	driver     *core.Driver
	document   *requestsDocument
	// creation is the path of the request that creates a resource.
	creation string
	// base is the configuration that the variations change.
	base map[string]any
	// refused says that the service refuses even the example.
	refused bool

	// tried has the variations, and whether an example has the object that they are in.
	tried map[string]bool
}

func newValueWalk(t *testing.T, kind, name string, counts *valueCounts, document *requestsDocument) *valueWalk {
	t.Helper()
	plane := providertest.NewDev(t, func(cfg *devserver.Config) { cfg.Rollout = 0 })
	environment := map[string]string{}
	for _, variable := range plane.Environ() {
		key, value, _ := strings.Cut(variable, "=")
		environment[key] = value
	}
	server := provider.NewServer("test", provider.WithClock(plane.Clock), provider.WithEnvironment(func(key string) string { return environment[key] }))
	w := &valueWalk{
		t: t, plane: plane, kind: kind, name: name, counts: counts, tried: map[string]bool{}, document: document,
		start: func() (tfprotov6.ProviderServer, error) { return server(), nil },
	}
	w.server = server().(everything)
	if _, err := w.server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: empty()}); err != nil {
		t.Fatal(err)
	}
	w.driver = core.NewDriver(name, w.start)
	return w
}

func (w *valueWalk) bases() []any {
	w.t.Helper()
	bases := readBases(w.t, w.plane, w.kind, w.name)
	if len(bases) == 0 {
		w.t.Fatalf("no example has a %s %s, so nothing tries its values", w.kind, w.name)
	}
	return bases
}

// walk tries the variations of a configuration, which is valid.
func (w *valueWalk) walk(all []variation, config map[string]any) {
	w.t.Helper()
	w.base = config
	base := variation{title: "the example", config: config, within: true}
	diags := w.try(base)
	if w.refused = hasError(diags); w.refused && !w.refusedByService(diags) && w.kind != "action" { // There may be nothing to act on.
		w.t.Fatalf("the example is refused: %s", providertest.Told(diags))
	}
	for _, r := range w.plane.Server.Requests() {
		if r.Method == http.MethodPost && r.Status < 300 && w.kind == "resource" && bytes.Contains(r.Body, []byte(`{`)) {
			w.creation = r.Path
		}
	}
	same := encoded(w.schema.ValueType(), config)
	for _, v := range all {
		if framework.Same(same, encoded(w.schema.ValueType(), v.config)) {
			continue
		}
		// Examples differ in the objects that they have. Only in these, other mistakes can't hide one.
		within, tried := w.tried[v.at+" "+v.title]
		if !tried || v.within && !within {
			w.tried[v.at+" "+v.title] = v.within
			w.judge(v, w.try(v))
		}
	}
}

// problem reports a variation.
func (w *valueWalk) problem(v variation, format string, args ...any) {
	w.t.Helper()
	w.t.Errorf("%s %s: %s: %s: %s", w.kind, w.name, v.at, v.title, shortened(fmt.Sprintf(format, args...)))
}

// shortened leaves out the middle of huge texts.
func shortened(text string) string {
	return strings.ReplaceAll(text, strings.Repeat("x", hugeSize), "xx[huge]xx")
}

func hasError(diags []*tfprotov6.Diagnostic) bool { return slices.ContainsFunc(diags, isError) }

// riddles are what no user can make sense of.
var riddles = []string{
	"provider developer", "basetypes", "tftypes", "types.", " bug", "..", `\n`, "%!", "<nil>", "panic", "<null>", "Value(",
}

// judge checks what users see of a variation.
func (w *valueWalk) judge(v variation, diags []*tfprotov6.Diagnostic) {
	w.t.Helper()
	w.counts.tried.Add(1)
	if hasError(diags) {
		w.counts.refused.Add(1)
	}
	for _, d := range diags {
		told := d.Summary + ": " + d.Detail
		own := withoutValue(told, v.value)
		for _, riddle := range riddles {
			if strings.Contains(own, riddle) {
				w.problem(v, "says %q:\n%s", riddle, told)
			}
		}
		if v.secret && showsText(told, v.value) {
			w.problem(v, "shows a secret:\n%s", told)
		}
	}
	if described, allowed := w.allowed(v); described {
		w.counts.described.Add(1)
		if allowed && hasError(diags) && !w.refusedByService(diags) && !unsuited(diags) && !stricter.MatchString(w.name+" "+v.at) {
			w.problem(v, "the document allows what is refused:\n%s", providertest.Told(diags))
		}
	}
	if v.title == "unknown" && v.within && hasError(diags) && !w.refused {
		w.problem(v, "an unknown value is refused:\n%s", providertest.Told(diags))
	}
}

// refusedByService reports whether an error is an answer of the service.
func (w *valueWalk) refusedByService(diags []*tfprotov6.Diagnostic) bool {
	return slices.ContainsFunc(diags, func(d *tfprotov6.Diagnostic) bool { return strings.Contains(d.Detail, "Status: ") })
}

// allowed reports whether the document has the attribute of a variation, and allows the value.
func (w *valueWalk) allowed(v variation) (described, allowed bool) {
	if w.creation == "" || !v.within || !free.MatchString(v.title) {
		return false, false
	}
	if text, isText := v.value.(string); isText && text == "" {
		return false, false
	}
	return w.document.allows(w.creation, v.at, v.value)
}

// free matches the variations that a document decides on. It doesn't say which texts may be blank, nor the bounds of numbers.
var free = regexp.MustCompile(`^(empty|true|false|(odd text|two lines|huge)( element)?|odd key|huge key)$`)

// unsuited reports whether a value is refused because the example has another one beside it.
func unsuited(diags []*tfprotov6.Diagnostic) bool {
	return slices.ContainsFunc(diags, func(d *tfprotov6.Diagnostic) bool {
		return slices.Contains([]string{"Attribute of another source", "Invalid Attribute Combination", "Mount without volume", `Not supported by dialect "neutral"`}, d.Summary) ||
			strings.HasPrefix(d.Summary, "Missing ")
	})
}

// stricter matches the attributes of which the specification says more than the document, which calls them texts.
var stricter = regexp.MustCompile(`_url$|k8s_namespaces?$|_deployment name$|provider_id$|code_challenge_method$|image(_uri)?$|_id$|` + // Formats.
	`(annotations|labels|limits|requests|service_account_name)$|\[0]\.name$|` + // Kubernetes'.
	`env\[0]\.value$`) // The example has value_from_json.

// withoutValue returns a text without the odd and long texts of a value, quoted or not.
func withoutValue(text string, value any) string {
	switch value := value.(type) {
	case string:
		if len(strings.TrimSpace(value)) > 1 {
			quoted := fmt.Sprintf("%q", value)
			text = strings.ReplaceAll(text, quoted, "")
			text = strings.ReplaceAll(text, quoted[1:len(quoted)-1], "")
			text = strings.ReplaceAll(text, value, "")
		}
	case []any:
		for _, element := range value {
			text = withoutValue(text, element)
		}
	case map[string]any:
		for key, member := range value {
			text = withoutValue(withoutValue(text, key), member)
		}
	}
	return text
}

// showsText reports whether a diagnostic quotes an odd or huge text of a value. The keys of a map are names.
func showsText(told string, value any) bool {
	switch value := value.(type) {
	case string:
		return len(value) > 3 && withoutValue(told, value) != told
	case []any:
		return slices.ContainsFunc(value, func(element any) bool { return showsText(told, element) })
	case map[string]any:
		for _, member := range value {
			if showsText(told, member) {
				return true
			}
		}
	}
	return false
}

// try validates a configuration, and plans, applies or reads what is valid.
func (w *valueWalk) try(v variation) []*tfprotov6.Diagnostic {
	w.t.Helper()
	ctx := context.Background()
	as := w.schema.ValueType()
	config, err := tfprotov6.NewDynamicValue(as, encoded(as, v.config))
	if err != nil {
		w.t.Fatalf("%s %s: %v", v.at, v.title, err)
	}
	var diags []*tfprotov6.Diagnostic
	if w.kind != "resource" || !isKnown(v.config) { // A driver's plan validates, too.
		diags, err = w.validate(ctx, &config)
	}
	if err == nil && !hasError(diags) {
		var more []*tfprotov6.Diagnostic
		more, err = w.carryOut(ctx, v, &config)
		diags = append(diags, more...)
	}
	if err != nil {
		w.problem(v, "%v", err)
	}
	return diags
}
