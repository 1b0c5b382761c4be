package framework

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

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
