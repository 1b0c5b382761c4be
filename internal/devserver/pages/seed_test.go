package pages_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// hostile is markup that every page must show as text.
const hostile = `<script>alert(1)</script><img src=x onerror="alert(2)"><svg onload="alert(3)"></svg>"'><a href="javascript:alert(4)">x</a>`

// onePixel is a PNG of one pixel.
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

// canary is the value of every secret, which no page may show: variables, client secrets, tokens.
const canary = "canary-of-the-environment"

// nobody is an ID that doesn't exist.
const nobody = "aaaaaaaa-1111-4000-8000-000000000000"

// shown is a server with objects of every kind, and the paths of its pages by name.
type shown struct {
	*plane
	paths map[string]string
	// rolling is a deployment whose second revision is rolled out as the clock advances.
	rolling string
}

// show fills a server. The note is used wherever users can enter text.
func show(t *testing.T, note string) *shown {
	t.Helper()
	p := devservertest.New(t, devserver.Config{Rollout: time.Minute, Address: devservertest.OwnAddress}).As().WithSeed(devserver.DefaultWorkspaceID)
	s := &shown{plane: p, paths: map[string]string{
		"start": "/", "deployments": "/ui/deployments", "listeners": "/ui/listeners", "integrations": "/ui/integrations", "oauth": "/ui/oauth",
		"requests": "/ui/requests", "prices": "/ui/prices", "space": "/ui/space", "projects": "/ui/projects", "nothing": "/ui/deployments/" + nobody,
	}}
	devservertest.Must(t, p.Arm(devserver.Fault{Match: "GET /v2/listeners", Status: http.StatusServiceUnavailable, Detail: note}))
	devservertest.Must(t, p.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: "DEPLOYING", Message: "The image can't be pulled. " + note}}))
	d := p.Create(devservertest.ImageRequest("chat", object{
		"source_config": object{"listener_id": p.Seeded.ListenerID, "listener_config": object{"k8s_namespace": p.Seeded.K8sNamespaces[0]}}, "secrets": []any{object{"name": "API_TOKEN", "value": canary}},
	}))
	p.Clock.Advance(2 * time.Minute)
	p.Do(http.MethodPatch, "/v2/deployments/"+d.ID, object{"source_revision_config": object{"image_uri": "registry.example:5000/team/agent:1.1"}}).Want(http.StatusOK)
	s.rolling = d.ID
	s.paths["deployment"] = "/ui/deployments/" + d.ID
	s.paths["rollout"] = "/ui/deployments/" + d.ID + "/revisions/" + *d.LatestRevisionID
	s.paths["settings"] = "/ui/deployments/compare?a=chat&b=" + url.QueryEscape(note)

	p.Do(http.MethodPost, "/v2/auth/providers", object{
		"provider_id": "calendar", "name": note, "client_id": "agents", "client_secret": canary,
		"auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
	}).Want(http.StatusOK)
	token := p.Do(http.MethodPost, "/v2/auth/tokens/import", object{
		"provider_id": p.Seeded.ProviderID, "access_token": canary, "scopes": []string{"calendar.read", note}, "expires_in_seconds": 1,
	}).Want(http.StatusOK)
	var imported api.OAuthTokenImportResponse
	devservertest.Must(t, json.Unmarshal(token.Body, &imported))
	p.Do(http.MethodPost, "/v2/auth/agents/"+url.PathEscape("support "+note)+"/connections", object{"oauth_token_id": imported.TokenID}).Want(http.StatusCreated)

	p.Do(http.MethodPost, "/model-price-map", object{"name": "example-large", "match_pattern": "^example-large$", "prompt_cost": 0.000002,
		"completion_cost": 0.000003, "prompt_cost_details": object{"cache_read": 0.000001}}).Want(http.StatusOK)
	root := devservertest.RootRun(object{"name": "agent", "session_name": "chat", "end_time": "2026-05-02T10:00:04Z", "tags": []any{"smoke", note},
		"inputs": object{"question": note}, "outputs": object{"answer": "Sunny."}, "extra": object{"metadata": object{"thread_id": "t1", "note": note}}})
	call := devservertest.ChildRun(root, object{
		"name": "model", "session_name": "chat", "end_time": "2026-05-02T10:00:03Z", "inputs": conversationOfAll(note), "outputs": answerOfAll(),
		"events": []any{object{"name": "start", "time": "2026-05-02T10:00:00.5Z"}, object{"name": "new_token", "time": "2026-05-02T10:00:00.75Z"}, object{"name": "new_token", "time": "2026-05-02T10:00:01Z"}},
		"extra":  object{"metadata": object{"ls_model_name": "example-large", "ls_provider": "example"}},
	})
	tool := devservertest.ChildRun(root, object{"name": "weather " + note, "run_type": "tool", "session_name": "chat", "error": "no such city: " + note, "end_time": "2026-05-02T10:00:03.5Z"})
	devservertest.NewUpload(t).Add("post", root).Add("post", call).Add("post", tool).Attach(call["id"].(string), "photo", "image/png", "PNG").Send(p).Want(http.StatusAccepted)
	var more []any
	for i := range 60 {
		more = append(more, devservertest.RootRun(object{"name": fmt.Sprint("turn ", i), "session_name": "chat", "start_time": fmt.Sprintf("2026-05-02T09:%02d:00Z", i%60),
			"end_time": fmt.Sprintf("2026-05-02T09:%02d:0%dZ", i%60, 1+i%8)}))
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": more}).Want(http.StatusAccepted)
	project := devservertest.Get[[]object](p, "/sessions?name=chat")[0]["id"].(string)
	s.paths["project"] = "/ui/projects/" + project
	s.paths["figures"] = "/ui/projects/" + project + "/figures?by=tag"
	s.paths["by model"] = "/ui/projects/" + project + "?by=model"
	s.paths["trace"] = "/ui/traces/" + root["id"].(string)
	s.paths["threads"] = "/ui/projects/" + project + "/threads"
	for _, said := range []object{
		{"run_id": call["id"], "key": "correct", "score": 0.5, "comment": note}, {"session_id": project, "key": "note", "value": note},
	} {
		p.Do(http.MethodPost, "/feedback", said).Want(http.StatusOK)
	}
	dataset := devservertest.Into[object](p.Do(http.MethodPost, "/datasets", object{"name": note, "description": note}).Want(http.StatusOK))["id"].(string)
	example := devservertest.Into[object](p.Do(http.MethodPost, "/examples", object{"dataset_id": dataset, "inputs": object{"question": note}, "outputs": object{"answer": note}}).Want(http.StatusOK))
	p.Do(http.MethodPost, "/sessions", object{"name": note, "reference_dataset_id": dataset}).Want(http.StatusOK)
	tested := devservertest.RootRun(object{"session_name": note, "reference_example_id": example["id"], "outputs": object{"answer": note}, "error": note})
	p.Do(http.MethodPost, "/runs", tested).Want(http.StatusAccepted)
	p.Do(http.MethodPost, "/feedback", object{"run_id": tested["id"], "key": note, "value": note}).Want(http.StatusOK)
	s.paths["datasets"], s.paths["dataset"] = "/ui/datasets", "/ui/datasets/"+dataset
	s.paths["feedback"] = "/ui/projects/" + project + "/feedback"
	s.paths["thread"] = "/ui/projects/" + project + "/threads?thread=t1"
	s.paths["comparison"] = "/ui/compare?a=" + call["id"].(string) + "&b=" + tool["id"].(string)
	s.paths["trace of the failed run"] = "/ui/traces/" + root["id"].(string) + "?run=" + tool["id"].(string) + "&depth=1"
	s.paths["search"] = "/ui/projects/" + project + "?scope=all&sort=latency&q=" + url.QueryEscape(`eq(name, "model")`)
	shared := devservertest.Into[object](p.Do(http.MethodPut, "/runs/"+call["id"].(string)+"/share", object{}).Want(http.StatusOK))
	s.paths["public run"] = "/public/" + shared["share_token"].(string) + "/r"
	s.paths["logs"] = s.paths["rollout"] + "/logs"
	s.paths["shares"] = "/ui/shares"
	s.paths["run"] = "/ui/runs/" + call["id"].(string)
	s.paths["message"] = "/ui/runs/" + call["id"].(string) + "/message?side=inputs&n=2"
	s.paths["test"] = "/ui/runs/" + call["id"].(string) + "/test"
	s.paths["root run"] = "/ui/runs/" + root["id"].(string)
	s.paths["failed run"] = "/ui/runs/" + tool["id"].(string)
	return s
}

// conversationOfAll has every role, and every type of block that users send.
func conversationOfAll(note string) object {
	return object{"messages": []any{
		object{"role": "system", "content": []any{object{"type": "text", "text": "Be brief. " + note}}},
		object{"role": "user", "content": []any{
			object{"type": "text", "text": "What is on these?", "annotations": []any{object{"type": "citation", "title": "A source", "url": "javascript:alert(5)"}}},
			object{"type": "image", "base64": onePixel, "mime_type": "image/png"},
			object{"type": "image", "url": "https://pictures.example.com/one.png"},
			object{"type": "image", "url": "javascript:alert(6)"},
			object{"type": "image", "base64": "PHN2ZyBvbmxvYWQ9ImFsZXJ0KDcpIi8+", "mime_type": "image/svg+xml"},
			object{"type": "file", "url": "https://files.example.com/one.pdf", "mime_type": "application/pdf"},
			object{"type": "audio", "base64": "UklGRg==", "mime_type": "audio/wav"},
			object{"type": "video", "url": "https://films.example.com/one.mp4", "mime_type": "video/mp4"},
		}},
		object{"role": "assistant", "content": []any{
			object{"type": "reasoning", "text": "The user wants the weather."},
			object{"type": "tool_call", "id": "call-1", "name": "weather", "args": object{"city": note}},
		}},
		object{"role": "tool", "tool_call_id": "call-1", "content": []any{object{"type": "text", "text": "Sunny in Example City."}}},
	}}
}

// answerOfAll has the other types of blocks, which models send, and a problem.
func answerOfAll() object {
	return object{"messages": []any{
		object{"role": "assistant", "content": []any{
			object{"type": "server_tool_call", "id": "srv-1", "name": "web_search", "args": object{"query": "weather"}},
			object{"type": "server_tool_result", "tool_call_id": "srv-1", "status": "success", "output": object{"hits": 3}},
			object{"type": "text", "text": "It is sunny."},
			object{"type": "hologram", "text": "of nothing"},
		}, "usage_metadata": object{"input_tokens": 20, "output_tokens": 10, "total_tokens": 30, "input_token_details": object{"cache_read": 5}}},
	}}
}
