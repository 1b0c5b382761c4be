package framework

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// NewError returns an error.
func NewError(summary, format string, args ...any) diag.Diagnostics {
	return diag.Diagnostics{diag.NewErrorDiagnostic(summary, fmt.Sprintf(format, args...))}
}

// ErrorAt returns an error about an attribute.
func ErrorAt(at path.Path, summary, format string, args ...any) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, summary, fmt.Sprintf(format, args...))}
}

// NewWarning returns a warning.
func NewWarning(summary, format string, args ...any) diag.Diagnostics {
	return diag.Diagnostics{diag.NewWarningDiagnostic(summary, fmt.Sprintf(format, args...))}
}

// WarningAt returns a warning about an attribute.
func WarningAt(at path.Path, summary, format string, args ...any) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, summary, fmt.Sprintf(format, args...))}
}

// Failure translates the error of an API call into diagnostics.
type Failure struct {
	// Summary is the first line, for example: Cannot create deployment "chat".
	Summary string
	// AttributePath converts the location of a 422 (without its leading "body") into a path of the schema. If it is nil or returns
	// false, the problem is attached to the whole resource.
	AttributePath func([]api.LocStep) (path.Path, bool)
	// Names are the attributes whose names differ from the words of the service, by these.
	Names map[string]string
	// NextSteps are remedies by status that only the caller knows. They take precedence over the general ones, except for
	// that of a 404 for an Existing object. A remedy for a known message of the service takes precedence over all.
	NextSteps map[int]string
	// Existing names the object that the operation changes or deletes, such as: deployment 0f0e…. A 404 then means that it may be gone.
	// Gone, if not nil, asks the service whether it is.
	Existing string
	Gone     func() bool
	// TimeUp is the remedy if the operation has timed out.
	TimeUp string
	// Last is a paragraph at the end of every error. It may be empty.
	Last string
}

// Diagnostics translates err. A 422 results in one diagnostic for each of its entries, any other error in exactly one.
func (f Failure) Diagnostics(err error) diag.Diagnostics {
	refused, answered := errors.AsType[*client.Error](err)
	// The text of an unknown outcome contains its remedy; the response that caused it has none.
	_, unknown := errors.AsType[*client.OutcomeUnknownError](err)
	if unknown || !answered {
		return diag.Diagnostics{diag.NewErrorDiagnostic(f.Summary, paragraphs(Sentence(err.Error())+unreachable(err)+f.timeUp(err), f.Last))}
	}
	if len(refused.Validation) == 0 {
		return diag.Diagnostics{diag.NewErrorDiagnostic(f.Summary, f.detail(refused, f.named(message(refused)))+f.timeUp(err))}
	}
	var diags diag.Diagnostics
	for _, problem := range refused.Validation {
		at, ok := f.attributePath(problem.Loc)
		if ok {
			// The text names the attribute too: during an apply, the CLI shows only the first line of the resource.
			diags.AddAttributeError(at, f.Summary, f.detail(refused, at.String()+": "+Sentence(problem.Msg)))
			continue
		}
		diags.AddError(f.Summary, f.detail(refused, f.named(Sentence(located(problem)))))
	}
	return diags
}

// unreachable returns the remedy if there was no response. If the outcome of a write is unknown, other remedies come first.
func unreachable(err error) string {
	_, unknown := errors.AsType[*client.OutcomeUnknownError](err)
	_, lost := errors.AsType[*client.TransportError](err)
	if unknown || !lost {
		return ""
	}
	return "\n\nCheck the network and any proxy between this machine and the service, then apply again."
}

// timeUp returns a separate paragraph, because the last response may have a different remedy.
func (f Failure) timeUp(err error) string {
	if f.TimeUp == "" || !errors.Is(err, context.DeadlineExceeded) {
		return ""
	}
	return "\n\n" + f.TimeUp
}

func (f Failure) attributePath(loc []api.LocStep) (path.Path, bool) {
	if f.AttributePath == nil || len(loc) < 2 || loc[0].Key != "body" {
		return path.Empty(), false
	}
	return f.AttributePath(loc[1:])
}

// detail returns the server's message, then status and request ID, then the remedy if one is known.
func (f Failure) detail(e *client.Error, message string) string {
	var b strings.Builder
	b.WriteString(message)
	fmt.Fprintf(&b, "\n\nStatus: %d", e.Status)
	if e.RequestID != "" {
		fmt.Fprintf(&b, " · request id: %s", e.RequestID)
	}
	return paragraphs(b.String(), f.nextStep(e), e.Doubt, f.Last)
}

// named replaces the service's words for attributes.
func (f Failure) named(message string) string {
	for word, name := range f.Names {
		message = regexp.MustCompile(`\b`+word+`\b`).ReplaceAllString(message, name)
	}
	return message
}

// paragraphs joins those that aren't empty.
func paragraphs(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(p string) bool { return p == "" }), "\n\n")
}

func message(e *client.Error) string {
	switch {
	case e.HTML && e.Detail != "":
		return fmt.Sprintf("%s %s returned a web page (%q) instead of a response of the control plane.", e.Method, e.Path, e.Detail)
	case e.HTML:
		return fmt.Sprintf("%s %s returned a web page instead of a response of the control plane.", e.Method, e.Path)
	case e.Detail == "":
		return fmt.Sprintf("%s %s was refused without an explanation.", e.Method, e.Path)
	}
	return Sentence(e.Detail)
}

// located returns the problem, after its location if the service returns one.
func located(problem api.ValidationError) string {
	if len(problem.Loc) == 0 {
		return problem.Msg
	}
	var b strings.Builder
	for i, step := range problem.Loc {
		switch {
		case step.Index != nil:
			fmt.Fprintf(&b, "[%d]", *step.Index)
		case i > 0:
			b.WriteString("." + step.Key)
		default:
			b.WriteString(step.Key)
		}
	}
	return b.String() + ": " + problem.Msg
}

// Sentence ends s with one full stop: messages, with or without one, are followed by more text.
func Sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], "!?") {
		return s
	}
	return strings.TrimRight(s, ".") + "."
}

// Plural is a number of things: 1 token, 2 tokens.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// AsWarnings turns errors into warnings, for operations that must not fail: a failed creation is tainted and then replaced. The
// paragraphs are added to each.
func AsWarnings(diags diag.Diagnostics, paragraphs ...string) diag.Diagnostics {
	var warnings diag.Diagnostics
	for _, d := range diags {
		warnings.AddWarning(d.Summary(), strings.Join(append([]string{d.Detail()}, paragraphs...), "\n\n"))
	}
	return warnings
}

// WithNextStep ends each error with a paragraph that says what to do.
func WithNextStep(diags diag.Diagnostics, step string) diag.Diagnostics {
	var all diag.Diagnostics
	for _, d := range diags {
		all.AddError(d.Summary(), d.Detail()+"\n\n"+step)
	}
	return all
}

// nextStep returns the remedy for a response; empty if none is known.
func (f Failure) nextStep(e *client.Error) string {
	for _, known := range spoken {
		for _, words := range known.words {
			if e.Status == known.status && strings.Contains(e.Detail, words) {
				return known.step
			}
		}
	}
	if step := misdirected(e); step != "" {
		return step
	}
	switch step := f.NextSteps[e.Status]; {
	case e.Status == http.StatusNotFound && f.Existing != "":
		return f.deleted(e)
	case step != "":
		return step
	}
	return byStatus(e)
}

// deleted is the remedy for a 404 for an object that existed when the plan was made. A single 404 proves nothing.
func (f Failure) deleted(e *client.Error) string {
	if client.IsNotFound(e) && f.Gone != nil && f.Gone() {
		return fmt.Sprintf("%s no longer exists: it was deleted after this plan. Plan again.", strings.ToUpper(f.Existing[:1])+f.Existing[1:])
	}
	return fmt.Sprintf("The service answers 404 for %s: it may have been deleted after this plan. Plan again. Check the ID, workspace_id and "+
		"base_url if that finds it.", f.Existing)
}

// spoken are responses with a known message of the real service, and what to do about them.
var spoken = []struct {
	status int
	words  []string
	step   string
}{
	{
		http.StatusForbidden, []string{"requires workspace specification", "org_scoped_key_requires_workspace"},
		"The key belongs to a whole organization, so the service can't tell which workspace is meant. Set workspace_id " +
			"(AGENTPLANE_WORKSPACE_ID) of the provider to the ID of one; the settings of the organization list them.",
	},
	{
		http.StatusForbidden, []string{"Listeners cannot be created"},
		"Listeners require an organization whose plan includes self-hosted installations. Ask an administrator of the " +
			"organization, or set workspace_id (AGENTPLANE_WORKSPACE_ID) to a workspace of such an organization.",
	},
	{
		http.StatusForbidden, []string{"not enabled"},
		"The service has disabled this for the organization of the key. Ask an administrator of the organization, or the " +
			"operators of the service, to enable it. Container images (source external_container) require a self-hosted or " +
			"hybrid installation; the cloud builds from repositories.",
	},
	{
		http.StatusBadRequest, []string{"is being deleted"},
		"Plan again when the deletion has finished.",
	},
	{
		http.StatusBadRequest, []string{"'source_config.listener_id' is required"},
		"The workspace deploys through listeners. Set source_config.listener_id to one of them, and " +
			"source_config.listener_config.k8s_namespace to one of its namespaces; the data source agentplane_listeners lists both.",
	},
}

// misdirected says how to reach the right service; empty if the response came from it.
func misdirected(e *client.Error) string {
	switch {
	case e.OtherDialect != nil:
		return fmt.Sprintf("The control plane seems to use the dialect %[1]q. Add dialect = %[1]q to the provider block, "+
			"or set AGENTPLANE_DIALECT=%[1]s. The values of resources stay as they are.", e.OtherDialect.Name)
	case e.Intercepted:
		return intercepted(e)
	case e.Tracing && (e.Misaddressed || e.Status == http.StatusNotFound && !client.IsNotFound(e)):
		step := "Check tracing_url (AGENTPLANE_TRACING_URL): it must be the address of the tracing API. A self-hosted " +
			"installation serves it at its root, for example https://agents.example.com."
		if strings.HasPrefix(e.Path, "/api/v2/") {
			step += " If it is, the installation may be too old: reading runs requires version 0.16 or newer."
		}
		return step
	case e.SuggestedBaseURL != "":
		return "Check base_url (AGENTPLANE_BASE_URL): it must be the address of the control plane's API. A self-hosted " +
			"installation serves it under the path prefix /api-host: try " + e.SuggestedBaseURL + "."
	case e.Misaddressed:
		return "Check base_url (AGENTPLANE_BASE_URL): it must be the address of the control plane's API. A self-hosted " +
			"installation serves it under the path prefix /api-host, for example https://agents.example.com/api-host."
	case e.HTML && e.Status < http.StatusInternalServerError && e.Status != http.StatusRequestEntityTooLarge:
		return "Something in front of the service answered, such as a proxy. Make it let this request through, then apply again."
	}
	return ""
}

// intercepted is the remedy if something in front of the service refused a request: the key may be right.
func intercepted(e *client.Error) string {
	server, reach, check := "", "", ""
	if e.Server != "" {
		server = fmt.Sprintf(" (Server: %s)", e.Server)
	}
	if e.Tracing {
		reach = ", which reach the tracing API only at the host of base_url"
	}
	switch {
	case e.SuggestedBaseURL != "":
		check = " Also check base_url (AGENTPLANE_BASE_URL): a self-hosted installation serves the API at " + e.SuggestedBaseURL + "."
	case e.Misaddressed:
		check = " Also check " + setting(e) + "."
	}
	return "Something in front of the service" + server + ", such as a gateway, refused the request, not the API key. " +
		"Set what it requires in headers (AGENTPLANE_HEADERS)" + reach + "." + check
}

// setting is the argument with the URL of the API that a request was sent to.
func setting(e *client.Error) string {
	if e.Tracing {
		return "tracing_url (AGENTPLANE_TRACING_URL)"
	}
	return "base_url (AGENTPLANE_BASE_URL)"
}

// notOffered is the remedy if the service doesn't know an operation, although its URL is right.
const notOffered = "The service, or a proxy in front of it, doesn't offer this operation. Ask the operators of the service, whose version may be too old."

func byStatus(e *client.Error) string {
	switch e.Status {
	case http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent:
		return "The service reports success, but its response can't be used. Check " + setting(e) + " and any proxy in front of " +
			"it. If it persists, report it to the operators of the service."
	case http.StatusUnauthorized:
		return "Check api_key (AGENTPLANE_API_KEY) or bearer_token (AGENTPLANE_BEARER_TOKEN): the service doesn't accept it. A key is " +
			"valid only for the installation, or the region of the cloud, that issued it."
	case http.StatusForbidden:
		return "Check that the API key has this permission in the workspace, and check workspace_id " +
			"(AGENTPLANE_WORKSPACE_ID): a key of a whole organization requires it."
	case http.StatusMethodNotAllowed:
		return notOffered
	case http.StatusRequestEntityTooLarge:
		return "The request is too large for the service, or for a proxy in front of it. Make what it sends smaller, or have the limit raised."
	case http.StatusNotFound:
		if !client.IsNotFound(e) {
			return notOffered
		}
		return "Check the ID, workspace_id and base_url: an ID is valid only in its own workspace and installation."
	case http.StatusConflict:
		if e.Method != http.MethodPost {
			return "Another change is in progress, or this is still in use. Apply again when that has finished."
		}
		return "Something with this name already exists, or another change is in progress. Choose another name, import " +
			"the existing object, or apply again when the other change has finished."
	case http.StatusUnprocessableEntity, http.StatusBadRequest:
		return "Fix the problem and apply again."
	case http.StatusRequestTimeout, http.StatusTooEarly:
		return "The service, or a proxy in front of it, timed out before the request was complete. Apply again; if the " +
			"error persists, check proxies and load balancers in between."
	case http.StatusTooManyRequests:
		again := "later"
		if e.RetryAfter > 0 {
			again = "in " + e.RetryAfter.String()
		}
		return fmt.Sprintf("The service limits the rate of requests, and the retries are used up. Apply again %s, with a lower "+
			"-parallelism, or raise max_retries (AGENTPLANE_MAX_RETRIES).", again)
	}
	if e.Status >= http.StatusInternalServerError {
		return "The service failed. Apply again later; if the error persists, report the request ID to the operators of " +
			"the service."
	}
	switch {
	case e.Status < http.StatusBadRequest && e.Detail != "":
		return "" // A redirect, whose message says what to set.
	case e.Detail != "":
		return "Fix the problem and apply again."
	}
	return "This status is unusual: something in front of the service may have answered. Check " + setting(e) + " and any proxy, then apply again."
}
