package provider_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// headers is a value of the argument of that name. An element is a string, nil or unknown.
func headers(elements map[string]any) map[string]tftypes.Value {
	values := map[string]tftypes.Value{}
	for name, value := range elements {
		values[name] = tftypes.NewValue(tftypes.String, value)
	}
	return values
}

// readProject reads the data source agentplane_tracing_project, which sends requests to both APIs.
func (p *plugin) readProject() []*tfprotov6.Diagnostic {
	p.t.Helper()
	const name = "agentplane_tracing_project"
	read, err := p.ReadDataSource(p.t.Context(), &tfprotov6.ReadDataSourceRequest{
		TypeName: name, Config: p.encode(p.schema.DataSourceSchemas[name], settings{"id": "2b7f0a5d-1c3e-4f0a-9b1e-6c8d2e4f6a80"}),
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return read.Diagnostics
}

// TestHeaders_precedence expects the headers of the block, else those of the variable, beside the provider's own.
func TestHeaders_precedence(t *testing.T) {
	t.Parallel()
	variable := settings{"AGENTPLANE_HEADERS": `{"x-gateway-key": "from-variable"}`}
	for name, test := range map[string]struct {
		block, environment settings
		want               string
	}{
		"block":       {settings{"headers": headers(map[string]any{"X-Gateway-Key": "from-block"})}, variable, "from-block"},
		"variable":    {nil, variable, "from-variable"},
		"empty block": {settings{"headers": headers(nil)}, variable, ""},
		"none":        {nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := serve(t, httptest.NewServer, noListeners)
			environment := settings{"AGENTPLANE_BASE_URL": plane.URL, "AGENTPLANE_API_KEY": "key"}
			maps.Copy(environment, test.environment)
			p := start(t, environment)
			if diags := append(p.configure(test.block), p.use()...); len(diags) > 0 {
				t.Fatal(text(diags))
			}
			got := plane.requests()[0].Header
			if got.Get("X-Gateway-Key") != test.want || got.Get("X-Api-Key") != "key" || got.Get("Accept") != "application/json" {
				t.Errorf("the request has the headers %v, want X-Gateway-Key %q beside the provider's own", got, test.want)
			}
		})
	}
}

// TestHeaders_hosts expects the headers at the host of base_url only, whatever tracing_url and redirects name.
func TestHeaders_hosts(t *testing.T) {
	t.Parallel()
	for name, separate := range map[string]bool{"tracing on the same host": false, "tracing on another host": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := serve(t, httptest.NewServer, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
			plane := serve(t, httptest.NewServer, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case strings.HasSuffix(r.URL.Path, "/listeners"):
					http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
				default:
					w.WriteHeader(http.StatusNotFound)
				}
			})
			block := settings{
				"base_url": plane.URL + "/api-host", "api_key": "key", "headers": headers(map[string]any{"X-Gateway-Key": "canary"}), "max_retries": 0,
			}
			if separate {
				block["tracing_url"] = other.URL
			}
			p := start(t, nil)
			if diags := p.configure(block); len(diags) > 0 {
				t.Fatal(text(diags))
			}
			p.use()
			p.readProject()
			for _, r := range plane.requests() {
				if r.Header.Get("X-Gateway-Key") != "canary" {
					t.Errorf("%s %s has no X-Gateway-Key", r.Method, r.URL)
				}
			}
			for _, r := range other.requests() {
				if _, sent := r.Header["X-Gateway-Key"]; sent {
					t.Errorf("%s %s of the other host has X-Gateway-Key", r.Method, r.URL)
				}
			}
			if got := len(other.requests()); (got > 0) != separate {
				t.Errorf("the other host got %d requests", got)
			}
			if got := len(plane.requests()); separate && got != 1 || !separate && got < 2 {
				t.Errorf("the control plane's host got %d requests", got)
			}
		})
	}
}

// TestHeaders_refused expects an error for each header that can't be sent, with its name and what to do, and without its value.
func TestHeaders_refused(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-canary"
	own := "the provider, or HTTP itself, sets this header. Remove it."
	for name, test := range map[string]struct {
		headers map[string]any
		want    string
	}{
		"X-Api-Key":           {map[string]any{"X-Api-Key": secret}, `headers["X-Api-Key"] (AGENTPLANE_HEADERS) can't be set here. Set api_key instead.`},
		"x-api-key":           {map[string]any{"x-api-key": secret}, `headers["x-api-key"] (AGENTPLANE_HEADERS) can't be set here. Set api_key instead.`},
		"X-TENANT-ID":         {map[string]any{"X-TENANT-ID": secret}, "Set workspace_id instead."},
		"authorization":       {map[string]any{"authorization": secret}, "Set bearer_token instead."},
		"Host":                {map[string]any{"Host": secret}, "Set base_url instead."},
		"Content-Type":        {map[string]any{"Content-Type": secret}, own},
		"content-length":      {map[string]any{"content-length": secret}, own},
		"Content-Anything":    {map[string]any{"Content-Anything": secret}, own},
		"connection":          {map[string]any{"connection": secret}, own},
		"Transfer-Encoding":   {map[string]any{"Transfer-Encoding": secret}, own},
		"TE":                  {map[string]any{"TE": secret}, own},
		"accept-encoding":     {map[string]any{"accept-encoding": secret}, own},
		"User-Agent":          {map[string]any{"User-Agent": secret}, own},
		"no name":             {map[string]any{"": secret}, `headers[""] (AGENTPLANE_HEADERS) is not the name of a header`},
		"a space in the name": {map[string]any{"X Gateway": secret}, `headers["X…"] (AGENTPLANE_HEADERS) is not the name of a header`},
		"the value as a name": {map[string]any{"X-Gateway: " + secret: "x"}, `headers["X-Gateway…"] (AGENTPLANE_HEADERS) is not the name of a header`},
		"a line break":        {map[string]any{"X-Gateway": secret + "\n"}, `headers["X-Gateway"] (AGENTPLANE_HEADERS) contains a line break`},
		"another header":      {map[string]any{"X-Gateway": secret + "\r\nX-Api-Key: other"}, `headers["X-Gateway"] (AGENTPLANE_HEADERS) contains a line break`},
		"a null byte":         {map[string]any{"X-Gateway": secret + "\x00"}, `headers["X-Gateway"] (AGENTPLANE_HEADERS) contains a line break`},
		"a space at the end":  {map[string]any{"X-Gateway": secret + " "}, `headers["X-Gateway"] (AGENTPLANE_HEADERS) contains a line break`},
		"empty":               {map[string]any{"X-Gateway": ""}, `headers["X-Gateway"] (AGENTPLANE_HEADERS) has no value`},
		"null":                {map[string]any{"X-Gateway": nil}, `headers["X-Gateway"] (AGENTPLANE_HEADERS) has no value`},
		"twice": {
			map[string]any{"X-Gateway": secret, "x-gateway": secret + "2"},
			`headers["x-gateway"] (AGENTPLANE_HEADERS) is the same header as "X-Gateway"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := start(t, nil).configure(settings{"base_url": "https://agents.example.com", "api_key": "key", "headers": headers(test.headers)})
			if len(diags) != 1 || diags[0].Attribute.String() != `AttributeName("headers")` || diags[0].Summary != "Invalid headers" ||
				!strings.Contains(diags[0].Detail, test.want) {
				t.Errorf("diagnostics = %s, want one error with %q", text(diags), test.want)
			}
			if strings.Contains(text(diags), secret) {
				t.Errorf("the diagnostics contain the value: %s", text(diags))
			}
		})
	}
	for name, variable := range map[string]string{
		"text": secret, "array": `["` + secret + `"]`, "number": `{"X-Gateway": 1}`, "null": "null", "cut off": `{"X-Gateway": "` + secret,
	} {
		t.Run("variable/"+name, func(t *testing.T) {
			t.Parallel()
			diags := start(t, settings{"AGENTPLANE_HEADERS": variable}).configure(settings{"base_url": "https://agents.example.com", "api_key": "key"})
			if len(diags) != 1 || !strings.Contains(diags[0].Detail, "AGENTPLANE_HEADERS is not a JSON object of strings") ||
				strings.Contains(text(diags), secret) {
				t.Errorf("diagnostics = %s, want one error without the value", text(diags))
			}
		})
	}
}

// TestHeaders_unknown expects no error while the value of one header is unknown.
func TestHeaders_unknown(t *testing.T) {
	t.Parallel()
	p := start(t, nil)
	if diags := p.configure(settings{"headers": headers(map[string]any{"X-Gateway": unknown})}); len(diags) > 0 {
		t.Error(text(diags))
	}
	if diags := text(p.use()); !strings.Contains(diags, "Provider configuration not known yet") {
		t.Errorf("diagnostics = %s, want that the configuration isn't known yet", diags)
	}
}

// TestHeaders_echoed expects no value of a header in the errors of a gateway that repeats it.
func TestHeaders_echoed(t *testing.T) {
	t.Parallel()
	const secret = "0123456789abcdef0123456789abcdef"
	plane := serve(t, httptest.NewServer, func(w http.ResponseWriter, r *http.Request) {
		value := r.Header.Get("X-Gateway")
		w.Header().Set("X-Request-Id", value)
		w.Header().Set("Server", "gate "+value)
		http.Error(w, "denied: "+value, http.StatusForbidden)
	})
	p := start(t, nil)
	diags := p.configure(settings{"base_url": plane.URL, "headers": headers(map[string]any{"X-Gateway": secret})})
	if said := text(append(diags, p.use()...)); strings.Contains(said, secret) || !strings.Contains(said, "denied: ***") ||
		!strings.Contains(said, "request id: ***") || !strings.Contains(said, "(Server: gate ***)") {
		t.Errorf("diagnostics = %s, want the value masked", said)
	}
}
