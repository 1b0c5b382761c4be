package framework_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

const summary = `Cannot create deployment "chat"`

// told has the parts of a diagnostic that users see.
type told struct{ At, Summary, Detail string }

func read(diags diag.Diagnostics) []told {
	var all []told
	for _, d := range diags {
		at := ""
		if located, ok := d.(diag.DiagnosticWithPath); ok {
			at = located.Path().String()
		}
		all = append(all, told{at, d.Summary(), d.Detail()})
	}
	return all
}

// refused returns an error response to the creation of a deployment.
func refused(status int, detail string) *client.Error {
	return &client.Error{Method: "POST", Path: "/v2/deployments", Status: status, Detail: detail}
}

// TestFailure_status expects the server's message, the status and, if there is one, the next step for each kind of
// status.
func TestFailure_status(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status int
		// step is the beginning of the next step.
		step string
	}{
		"redirect":             {http.StatusFound, ""},
		"bad request":          {http.StatusBadRequest, "Fix the problem"},
		"unauthorized":         {http.StatusUnauthorized, "Check api_key (AGENTPLANE_API_KEY) or bearer_token (AGENTPLANE_BEARER_TOKEN)"},
		"payment required":     {http.StatusPaymentRequired, "Fix the problem and apply again."},
		"forbidden":            {http.StatusForbidden, "Check that the API key has this permission in the workspace"},
		"not found":            {http.StatusNotFound, "Check the ID, workspace_id and base_url"},
		"method not allowed":   {http.StatusMethodNotAllowed, "The service, or a proxy in front of it, doesn't offer this operation."},
		"too large":            {http.StatusRequestEntityTooLarge, "The request is too large for the service"},
		"conflict":             {http.StatusConflict, "Something with this name already exists"},
		"unprocessable":        {http.StatusUnprocessableEntity, "Fix the problem"},
		"too many requests":    {http.StatusTooManyRequests, "The service limits the rate of requests"},
		"internal error":       {http.StatusInternalServerError, "The service failed."},
		"service unavailable":  {http.StatusServiceUnavailable, "The service failed."},
		"an unregistered 5xx":  {599, "The service failed."},
		"an unregistered 4xx":  {499, "Fix the problem and apply again."},
		"a success, but wrong": {http.StatusOK, "The service reports success, but its response can't be used. Check base_url"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(framework.Failure{Summary: summary}.Diagnostics(refused(test.status, "No such thing")))
			if len(got) != 1 || got[0].At != "" || got[0].Summary != summary {
				t.Fatalf("diagnostics = %+v, want one error with the summary and without a path", got)
			}
			rest, found := strings.CutPrefix(got[0].Detail, fmt.Sprintf("No such thing.\n\nStatus: %d", test.status))
			if !found {
				t.Fatalf("the detail lacks the message or the status: %s", got[0].Detail)
			}
			step, found := strings.CutPrefix(rest, "\n\n")
			if found != (test.step != "") || !strings.HasPrefix(step, test.step) {
				t.Errorf("next step = %q, want %q", step, test.step)
			}
		})
	}
}

func TestFailure_message(t *testing.T) {
	t.Parallel()
	const checkBaseURL = "Check base_url (AGENTPLANE_BASE_URL): it must be the address of the control plane's API. A self-hosted " +
		"installation serves it under the path prefix /api-host, for example https://agents.example.com/api-host."
	const failed = "The service failed. Apply again later; if the error persists, report the request ID to the operators of the service."
	tests := map[string]struct {
		err  error
		want string
	}{
		"request id": {
			&client.Error{Method: "GET", Path: "/v2/listeners", Status: 500, Detail: "boom", RequestID: "req-1"},
			"boom.\n\nStatus: 500 · request id: req-1\n\n" + failed,
		},
		"punctuation of the server": {refused(402, "Out of credit! "), "Out of credit!\n\nStatus: 402\n\nFix the problem and apply again."},
		"no message": {
			refused(402, ""), "POST /v2/deployments was refused without an explanation.\n\nStatus: 402\n\nThis status is unusual: something in " +
				"front of the service may have answered. Check base_url (AGENTPLANE_BASE_URL) and any proxy, then apply again.",
		},
		"web page": {
			&client.Error{Method: "GET", Path: "/v2/listeners", Status: 200, HTML: true, Misaddressed: true},
			"GET /v2/listeners returned a web page instead of a response of the control plane.\n\nStatus: 200\n\n" + checkBaseURL,
		},
		"web page with a title": {
			&client.Error{Method: "GET", Path: "/v2/listeners", Status: 404, HTML: true, Misaddressed: true, Detail: "Nothing here"},
			"GET /v2/listeners returned a web page (\"Nothing here\") instead of a response of the control plane.\n\nStatus: 404\n\n" +
				checkBaseURL,
		},
		"web page of a load balancer": {
			&client.Error{Method: "GET", Path: "/v2/listeners", Status: 502, HTML: true, Detail: "Bad gateway"},
			"GET /v2/listeners returned a web page (\"Bad gateway\") instead of a response of the control plane.\n\nStatus: 502\n\n" + failed,
		},
		"another dialect": {
			&client.Error{Method: "POST", Path: "/v2/deployments", Status: 422, Detail: "no", OtherDialect: api.LangSmith},
			"no.\n\nStatus: 422\n\nThe control plane seems to use the dialect \"langsmith\". Add dialect = \"langsmith\" to the provider block, or set " +
				"AGENTPLANE_DIALECT=langsmith. The values of resources stay as they are.",
		},
		"wrapped": {fmt.Errorf("page 2: %w", refused(402, "Out of credit")), "Out of credit.\n\nStatus: 402\n\nFix the problem and apply again."},
		"no answer": {
			&client.TransportError{Method: "GET", Path: "/v2/listeners", Attempts: 5, Err: errors.New("connection refused")},
			"GET /v2/listeners: no response: connection refused (after 5 attempts).\n\n" +
				"Check the network and any proxy between this machine and the service, then apply again.",
		},
		"refused before it was sent": {errors.New(`"" is not an ID to append to /v2/listeners`), `"" is not an ID to append to /v2/listeners.`},
		"outcome unknown": {
			&client.OutcomeUnknownError{
				Method: "POST", Path: "/v2/deployments", Name: "chat", ID: "d-1", Reason: "it is older than the request",
				Err: refused(502, "upstream"),
			},
			`POST /v2/deployments: 502 Bad Gateway: upstream; a deployment "chat" exists with the ID d-1, but this request may ` +
				"not have created it (it is older than the request).",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := []told{{"", summary, test.want}}
			if diff := cmp.Diff(want, read(framework.Failure{Summary: summary}.Diagnostics(test.err))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestFailure_nextSteps expects the caller's next step instead of the general one, unless the response isn't the
// control plane's.
func TestFailure_nextSteps(t *testing.T) {
	t.Parallel()
	failure := framework.Failure{Summary: summary, NextSteps: map[int]string{
		http.StatusConflict: "Import it.", http.StatusPaymentRequired: "Pay.", http.StatusBadGateway: "Wait.",
	}}
	page := refused(http.StatusConflict, "")
	page.HTML = true
	tests := map[string]struct {
		err  error
		want string
	}{
		"over the general one":          {refused(http.StatusConflict, "Taken"), "Import it."},
		"where there is no general one": {refused(http.StatusPaymentRequired, "Broke"), "Pay."},
		"for a range of statuses":       {refused(http.StatusBadGateway, "Down"), "Wait."},
		"not for other statuses":        {refused(http.StatusBadRequest, "Wrong"), "Fix the problem and apply again."},
		"not for a web page":            {page, "then apply again."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := read(failure.Diagnostics(test.err)); !strings.HasSuffix(got[0].Detail, test.want) {
				t.Errorf("detail = %q, want it to end with %q", got[0].Detail, test.want)
			}
		})
	}
}

// TestFailure_validation expects each entry of a 422 at its attribute, or with its location in the text.
func TestFailure_validation(t *testing.T) {
	t.Parallel()
	entry := func(msg string, loc ...api.LocStep) api.ValidationError {
		return api.ValidationError{Loc: loc, Msg: msg}
	}
	err := refused(http.StatusUnprocessableEntity, "")
	err.RequestID = "req-1"
	err.Validation = []api.ValidationError{
		entry("too small", api.Key("body"), api.Key("source_config"), api.Key("cpu")),
		entry("Field required.", api.Key("body"), api.Key("name")),
		entry("not in the schema", api.Key("body"), api.Key("unheard_of"), api.Index(3), api.Key("of")),
		entry("not an object", api.Key("body")),
		entry("not a UUID", api.Key("path"), api.Key("deployment_id")),
		entry("nowhere"),
	}
	const rest = "\n\nStatus: 422 · request id: req-1\n\nFix the problem and apply again."
	withPaths := framework.Failure{Summary: summary, AttributePath: func(loc []api.LocStep) (path.Path, bool) {
		if loc[0].Key == "unheard_of" {
			return path.Empty(), false
		}
		at := path.Root(loc[0].Key)
		for _, step := range loc[1:] {
			at = at.AtName(step.Key)
		}
		return at, true
	}}
	wordy := []told{
		{"", summary, "body.unheard_of[3].of: not in the schema." + rest},
		{"", summary, "body: not an object." + rest},
		{"", summary, "path.deployment_id: not a UUID." + rest},
		{"", summary, "nowhere." + rest},
	}
	tests := map[string]struct {
		failure framework.Failure
		want    []told
	}{
		"with paths": {withPaths, append([]told{
			{"source_config.cpu", summary, "source_config.cpu: too small." + rest},
			{"name", summary, "name: Field required." + rest},
		}, wordy...)},
		"without": {framework.Failure{Summary: summary}, append([]told{
			{"", summary, "body.source_config.cpu: too small." + rest},
			{"", summary, "body.name: Field required." + rest},
		}, wordy...)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, read(test.failure.Diagnostics(err))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestFailure_timeUp expects the last error, followed by how to allow more time.
func TestFailure_timeUp(t *testing.T) {
	t.Parallel()
	f := framework.Failure{Summary: summary, TimeUp: "Raise timeouts."}
	late := fmt.Errorf("timed out after 1m: %w", context.DeadlineExceeded)
	for name, test := range map[string]struct {
		err    error
		detail string
	}{
		"only slow":    {late, "timed out after 1m: context deadline exceeded.\n\nRaise timeouts."},
		"in the way":   {errors.Join(late, refused(http.StatusTeapot, "I'm busy")), "I'm busy.\n\nStatus: 418\n\nFix the problem and apply again.\n\nRaise timeouts."},
		"not too late": {refused(http.StatusTeapot, "I'm busy"), "I'm busy.\n\nStatus: 418\n\nFix the problem and apply again."},
		"cancelled":    {context.Canceled, "context canceled."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff([]told{{"", summary, test.detail}}, read(f.Diagnostics(test.err))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
