package deployment_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// canary is the value of a secret, which the service echoes in every response.
const canary = "canary-5f0c&<\"'"

// quoted is the canary encoded in a JSON string.
const quoted = `canary-5f0c&<\"'`

// verbs are the operations, each with the request that gets an error.
var verbs = map[string]struct {
	pattern string
	run     func(t *testing.T, d *driver, before kept, config map[string]any) (kept, []*tfprotov6.Diagnostic)
}{
	"create": {creation, func(t *testing.T, d *driver, _ kept, config map[string]any) (kept, []*tfprotov6.Diagnostic) {
		return d.apply(t.Context(), kept{}, config)
	}},
	"read": {reading, func(_ *testing.T, d *driver, before kept, _ map[string]any) (kept, []*tfprotov6.Diagnostic) {
		return d.refresh(before)
	}},
	"update": {changing, func(t *testing.T, d *driver, before kept, config map[string]any) (kept, []*tfprotov6.Diagnostic) {
		config["source_revision_config"] = image("2.0.0")
		return d.apply(t.Context(), before, config)
	}},
	"delete": {deletion, func(t *testing.T, d *driver, before kept, _ map[string]any) (kept, []*tfprotov6.Diagnostic) {
		return d.apply(t.Context(), before, nil)
	}},
}

// TestAccRefused responds to each kind of request with each kind of error. The diagnostics must contain the cause and the next step,
// and no secret, and the state must be kept.
func TestAccRefused(t *testing.T) {
	t.Parallel()
	const (
		unknownCreate = "was created is unknown"
		unknownUpdate = "was changed is unknown"
		down          = "The service failed. Apply again later"
		inFront       = "Something in front of the service answered" // The provider has had answers of the service before.
		notOffered    = "doesn't offer this operation"
	)
	for name, test := range map[string]struct {
		status  int
		body    string
		headers []string
		// cause is in every text; step is the next step, by verb if it depends on that.
		cause, step string
		steps       map[string]string
		gone        []string
	}{
		"400":        {status: 400, body: `{"detail": "The image '` + quoted + `' is odd"}`, cause: "The image '***' is odd", step: "Fix the problem"},
		"401":        {status: 401, body: `{"detail": "Invalid key ` + quoted + `"}`, cause: "Invalid key ***", step: "Check api_key (AGENTPLANE_API_KEY)"},
		"403":        {status: 403, body: `{"detail": "Forbidden ` + quoted + `"}`, cause: "Forbidden ***", step: "Check that the API key has this permission"},
		"404 object": {status: 404, body: `{"detail": "Deployment ID 1 not found. ` + quoted + `"}`, cause: "not found", step: "Check the ID", gone: []string{"read"}},
		"404 route":  {status: 404, body: `{"detail": "Not Found"}`, cause: "Not Found", step: notOffered, steps: map[string]string{"update": "Plan again", "delete": "Plan again"}},
		"404 page":   {status: 404, body: page, cause: "returned a web page", step: inFront},
		"405":        {status: 405, body: `{"detail": "Method Not Allowed"}`, cause: "Method Not Allowed", step: notOffered},
		"409": {status: 409, body: `{"detail": "In the way: ` + quoted + `"}`, cause: "In the way: ***", steps: map[string]string{
			"create": "import it by its ID", "update": "Apply again when it has finished", "delete": "Apply again when it has finished", "read": "Another change",
		}},
		"422 text":           {status: 422, body: `{"detail": "Bad ` + quoted + `"}`, cause: "Bad ***", step: "Fix the problem"},
		"422 elsewhere":      {status: 422, body: `{"detail": [{"loc": ["header", "x-tenant-id"], "msg": "bad ` + quoted + `", "type": "uuid_parsing"}]}`, cause: "header.x-tenant-id: bad ***", step: "Fix the problem"},
		"429":                {status: 429, body: `{"detail": "Slow down ` + quoted + `"}`, headers: []string{"Retry-After", "1"}, cause: "Slow down ***", step: "limits the rate of requests"},
		"500":                {status: 500, body: `{"detail": "Oh no ` + quoted + `"}`, cause: "Oh no ***", step: down, steps: map[string]string{"create": unknownCreate, "update": unknownUpdate}},
		"503 with a promise": {status: 503, body: `{"detail": "Soon ` + quoted + `"}`, headers: []string{"Retry-After", "1"}, cause: "Soon ***", step: down},
		"503":                {status: 503, body: `{"detail": "Perhaps ` + quoted + `"}`, cause: "Perhaps ***", step: down, steps: map[string]string{"create": unknownCreate, "update": unknownUpdate}},
		"502 page":           {status: 502, body: page, cause: "Bad gateway", step: down, steps: map[string]string{"create": unknownCreate, "update": unknownUpdate}},
		"200 page":           {status: 200, body: "<title>Sign in, " + canary + "</title>", cause: "Sign in, ***", step: inFront, steps: map[string]string{"create": unknownCreate, "update": unknownUpdate}},
		"524":                {status: 524, body: page, cause: "Bad gateway", step: down, steps: map[string]string{"create": unknownCreate, "update": unknownUpdate}},
		"408":                {status: 408, body: `{"detail": "Too slow"}`, cause: "Too slow", step: "timed out before the request was complete", steps: map[string]string{"create": unknownCreate, "update": unknownUpdate}},
		"not JSON":           {status: 400, body: "nonsense " + canary, cause: "nonsense ***", step: "Fix the problem"},
		"nothing at all":     {status: 403, cause: "without an explanation", step: "such as a gateway, refused the request"},
	} {
		for verb, operation := range verbs {
			t.Run(verb+" "+name, func(t *testing.T) {
				t.Parallel()
				plane := providertest.NewDev(t)
				plane.Setenv("AGENTPLANE_MAX_RETRIES", "1")
				g := gateTo(t, plane)
				d := drive(t, plane)
				config := imageConfig(plane, map[string]any{"secrets": map[string]string{"TOKEN": canary}})
				var before kept
				if verb != "create" {
					before = d.refreshed(d.made(kept{}, config))
				}
				if verb == "delete" && name == "404 object" {
					return // This means that it is deleted; see TestAccDelete_alreadyGone.
				}
				g.when(operation.pattern, -1, answered(test.status, test.body, test.headers...))
				gone := len(test.gone) > 0 && test.gone[0] == verb
				if gone { // The list confirms it; otherwise it stays, see TestAccDeployment_notFoundOnce.
					g.when(listing, -1, answered(http.StatusOK, `{"resources": [], "offset": 0}`))
				}
				now, diags := operation.run(t, d, before, config)
				if gone {
					if hasError(diags) || !now.state.IsNull() {
						t.Errorf("diagnostics = %s, state = %s; want it removed with a warning", told(diags), now.state)
					}
					return
				}
				step := test.step
				if other := test.steps[verb]; other != "" {
					step = other
				}
				for _, want := range []string{fmt.Sprintf(`Cannot %s deployment "tf-acc-driven"`, verb), test.cause, step} {
					if !hasError(diags) || !strings.Contains(told(diags), want) {
						t.Errorf("diagnostics = %[2]s, want an error with %[1]q", want, told(diags))
					}
				}
				expectNoCanary(t, diags)
				if verb == "create" && !now.state.IsNull() || verb != "create" && !now.state.Equal(before.state) {
					t.Errorf("state = %s, want it unchanged", now.state)
				}
			})
		}
	}
}

func expectNoCanary(t *testing.T, diags []*tfprotov6.Diagnostic) {
	t.Helper()
	if strings.Contains(told(diags), "canary") {
		t.Errorf("the diagnostics contain a secret: %s", told(diags))
	}
}

// TestAccRefused_attributes expects every entry of a 422 at its attribute.
func TestAccRefused_attributes(t *testing.T) {
	t.Parallel()
	const body = `{"detail": [
		{"loc": ["body", "name"], "msg": "too long", "type": "string_too_long"},
		{"loc": ["body", "source_config", "resource_spec", "volumes", 1, "name"], "msg": "no DNS label", "type": "value_error"},
		{"loc": ["body", "source_revision_config", "image_uri"], "msg": "no image", "type": "value_error", "input": "` + quoted + `"},
		{"loc": ["body", "secrets", 0, "name"], "msg": "no name", "type": "value_error"},
		{"loc": ["body", "secrets", 1, "value"], "msg": "not allowed: ` + quoted + `", "type": "value_error"},
		{"loc": ["body", "secrets", 7, "value"], "msg": "of nothing sent", "type": "value_error"},
		{"loc": ["body", "something", "new"], "msg": "of a later version", "type": "missing"}]}`
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	d := drive(t, plane)
	config := imageConfig(plane, map[string]any{"secrets": map[string]string{"TOKEN": canary}})
	g.when(creation, 1, answered(http.StatusUnprocessableEntity, body))
	_, diags := d.apply(t.Context(), kept{}, config)
	wanted := []string{
		`AttributeName("name")`,
		`AttributeName("source_config").AttributeName("resource_spec").AttributeName("volumes").ElementKeyInt(1).AttributeName("name")`,
		`AttributeName("source_revision_config").AttributeName("image_uri")`,
		`AttributeName("environment").ElementKeyString("LOG_LEVEL")`,
		`AttributeName("secrets").ElementKeyString("TOKEN")`,
		"", "",
	}
	if len(diags) != len(wanted) {
		t.Fatalf("diagnostics = %[2]s, want %[1]d errors", len(wanted), told(diags))
	}
	for i, want := range wanted {
		got := ""
		if diags[i].Attribute != nil {
			got = diags[i].Attribute.String()
		}
		if got != want {
			t.Errorf("diagnostic = %[2]s, want %[1]q", want, told(diags[i:i+1]))
		}
	}
	for _, want := range []string{"body.secrets[7].value: of nothing sent", "body.something.new: of a later version"} {
		if !strings.Contains(told(diags), want) {
			t.Errorf("diagnostics = %[2]s, want %[1]q", want, told(diags))
		}
	}
	expectNoCanary(t, diags)
}

// TestAccRefused_waiting makes the service echo a secret while the provider waits for a rollout.
func TestAccRefused_waiting(t *testing.T) {
	t.Parallel()
	for name, arm := range map[string]func(*providertest.Plane, *gate){
		"status message": func(plane *providertest.Plane, _ *gate) {
			plane.Arm(rolloutFault(api.RevisionDeploying, "exited: no such token "+canary))()
		},
		"refused poll": func(_ *providertest.Plane, g *gate) {
			for _, pattern := range []string{polling, reading} {
				g.after(2, pattern, -1, answered(http.StatusForbidden, `{"detail": "no such token `+quoted+`"}`))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			g := gateTo(t, plane)
			d := drive(t, plane)
			arm(plane, g)
			now, diags := d.apply(t.Context(), kept{}, imageConfig(plane, map[string]any{"secrets_wo": map[string]string{"TOKEN": canary}}))
			if hasError(diags) != (name == "status message") || !strings.Contains(told(diags), "no such token ***") || now.text("id") == "" || !now.state.IsFullyKnown() {
				t.Errorf("diagnostics = %s, state = %s; want it without the secret, and a known state", told(diags), now.state)
			}
			expectNoCanary(t, diags)
		})
	}
}
