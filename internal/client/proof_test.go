package client

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// provable is a change without a revision, of an object that a list or a read of its own shows.
type provable struct {
	request  reflect.Type
	replaces bool // The request has all fields, and otherwise those that change.
	key      map[string]any
	listed   string
	send     func(ctx context.Context, c *Client, body any) error
}

// secretFields are those that no response has. neverSent isn't sent by the provider, and not shown either.
var secretFields = []string{"client_secret", "access_token", "refresh_token"}

const neverSent = "metadata"

const provedID = "4a000001-0000-4000-8000-000000000000"

var provables = map[string]provable{
	"listener": {
		request: reflect.TypeFor[api.ListenerPatchRequest](), key: map[string]any{"id": provedID, "compute_type": "k8s", "compute_id": "east"},
		send: func(ctx context.Context, c *Client, body any) error {
			_, err := c.PatchListener(ctx, provedID, body.(api.ListenerPatchRequest))
			return err
		},
	},
	"OAuth provider": {
		request: reflect.TypeFor[api.OAuthProviderUpdateRequest](), key: map[string]any{"id": provedID, "provider_id": "mail"},
		send: func(ctx context.Context, c *Client, body any) error {
			_, err := c.PatchOAuthProvider(ctx, "mail", body.(api.OAuthProviderUpdateRequest), "")
			return err
		},
	},
	"OAuth token": {
		request: reflect.TypeFor[api.OAuthTokenUpdateRequest](), key: map[string]any{"id": provedID, "provider_id": "mail"}, listed: "[%s]",
		send: func(ctx context.Context, c *Client, body any) error {
			_, err := c.UpdateOAuthToken(ctx, "mail", provedID, body.(api.OAuthTokenUpdateRequest))
			return err
		},
	},
	"model price": {
		request: reflect.TypeFor[api.ModelPriceRequest](), replaces: true, key: map[string]any{"id": provedID, "tenant_id": "w"}, listed: "[%s]",
		send: func(ctx context.Context, c *Client, body any) error {
			_, err := c.UpdateModelPrice(ctx, provedID, body.(api.ModelPriceRequest))
			return err
		},
	},
	"token of an agent": {
		request: reflect.TypeFor[api.UpsertAgentProviderTokenRequest](), replaces: true, listed: `{"data":[%s]}`,
		key: map[string]any{"id": provedID, "agent_id": "bot", "oauth_token_id": "t1", "provider_id": "mail"},
		send: func(ctx context.Context, c *Client, body any) error {
			request := body.(api.UpsertAgentProviderTokenRequest)
			request.Metadata = api.Optional[map[string]json.RawMessage]{}
			before := api.AgentConnectionResponse{ID: provedID, AgentID: "bot", ProviderID: "mail", ExpiresAt: new(expiry(1))}
			_, err := c.UpdateAgentProviderToken(ctx, before, request)
			return err
		},
	},
}

// TestEveryFieldIsProved swallows a change of each field that a request can have, answered with the object as it was and as it should be:
// set, changed, removed, and with an element less.
func TestEveryFieldIsProved(t *testing.T) {
	t.Parallel()
	for object, p := range provables {
		for i := range p.request.NumField() {
			name, _, _ := strings.Cut(p.request.Field(i).Tag.Get("json"), ",")
			if name == neverSent || slices.Contains(secretFields, name) {
				continue
			}
			for _, verb := range []string{"set", "changed", "removed", "shortened"} {
				before, sent := p.change(t, i, name, verb)
				if before == nil {
					continue
				}
				for _, swallowed := range []bool{true, false} {
					for _, echoes := range []bool{true, false} {
						if !swallowed && verb == "removed" && !p.replaces {
							continue // The service keeps what null is sent for.
						}
						t.Run(fmt.Sprintf("%s/%s/%s/swallowed=%t,echo=%t", object, name, verb, swallowed, echoes), func(t *testing.T) {
							t.Parallel()
							writes, err := p.run(t, before, sent, swallowed, echoes)
							if want := map[bool]int{true: 2, false: 1}[swallowed]; (err != nil) != swallowed || writes != want {
								t.Errorf("error = %v after %d writes, want one %t after %d", err, writes, swallowed, want)
							}
						})
					}
				}
			}
		}
	}
}

// change returns the object before a change of the request's field i, and the request.
func (p provable) change(t *testing.T, i int, name, verb string) (before map[string]any, sent reflect.Value) {
	t.Helper()
	whole := sample(p.request, 1)
	before = p.object(whole)
	sent = reflect.New(p.request).Elem()
	if p.replaces {
		sent.Set(whole)
	}
	switch verb {
	case "set":
		delete(before, name)
		if name == "expires_in_seconds" {
			before["expires_at"] = nil
		}
		sent.Field(i).Set(whole.Field(i))
	case "changed":
		sent.Field(i).Set(sample(p.request, 2).Field(i))
	case "removed":
		sent.Field(i).SetZero()
		if present := sent.Field(i); present.Kind() == reflect.Struct {
			present.FieldByName("Present").SetBool(true)
		}
		if name == "match_path" {
			return nil, sent // Omitted, the service chooses it.
		}
	case "shortened":
		switch value := before[name].(type) {
		case map[string]any:
			if name == "compute_config" {
				value["k8s_namespaces"] = append(value["k8s_namespaces"].([]any), "more")
				break
			}
			for _, v := range maps.Clone(value) {
				value["more"] = v
			}
		case []any:
			before[name] = append(value, "more")
		default:
			return nil, sent
		}
		sent.Field(i).Set(whole.Field(i))
	}
	return before, sent
}

// object is the object that has what a request has.
func (p provable) object(request reflect.Value) map[string]any {
	object := maps.Clone(p.key)
	maps.Copy(object, tree(request.Interface()).(map[string]any))
	object["expires_at"] = expiry(1)
	return object
}

// run sends a request to a service that processes it or doesn't, and returns how often.
func (p provable) run(t *testing.T, before map[string]any, sent reflect.Value, swallowed, echoes bool) (writes int, err error) {
	t.Helper()
	after := maps.Clone(before)
	body := tree(sent.Interface()).(map[string]any)
	if p.replaces {
		for field := range p.request.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			delete(after, name)
		}
	}
	maps.Copy(after, body)
	if p.request == reflect.TypeFor[api.UpsertAgentProviderTokenRequest]() {
		after["expires_at"] = nil
		if body["expires_in_seconds"] != nil {
			after["expires_at"] = expiry(2)
		}
	}
	now := before
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		object := func(v any) string {
			data, err := json.Marshal(v)
			if err != nil {
				t.Error(err)
			}
			return string(data)
		}
		switch {
		case r.Method != http.MethodGet:
			writes++
			if !swallowed {
				now = after
			}
			answer := now
			if echoes {
				answer = after
			}
			answerWith(200, object(answer))(w, r)
		case p.listed != "":
			answerWith(200, fmt.Sprintf(p.listed, object(now)))(w, r)
		default:
			answerWith(200, object(now))(w, r)
		}
	})
	err = p.send(t.Context(), c, sent.Interface())
	return writes, err
}

func expiry(n int) string { return fmt.Sprintf("2026-06-0%dT00:00:00Z", n) }

// sample is a value of a type with all fields; another n makes another one.
func sample(kind reflect.Type, n int) reflect.Value {
	v := reflect.New(kind).Elem()
	switch {
	case kind == reflect.TypeFor[api.DecimalNumber]():
		v.SetString(fmt.Sprintf("0.00%d", n))
		return v
	case kind.Kind() == reflect.Slice && kind.Elem().Kind() == reflect.Uint8: // JSON as it is.
		v.SetBytes(fmt.Appendf(nil, `"%d"`, n))
		return v
	}
	switch kind.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text-%d", n))
	case reflect.Bool:
		v.SetBool(n == 1)
	case reflect.Int64:
		v.SetInt(int64(n))
	case reflect.Float64:
		v.SetFloat(float64(n))
	case reflect.Pointer:
		v.Set(reflect.New(kind.Elem()))
		v.Elem().Set(sample(kind.Elem(), n))
	case reflect.Slice:
		v.Set(reflect.Append(v, sample(kind.Elem(), n)))
	case reflect.Map:
		v.Set(reflect.MakeMap(kind))
		v.SetMapIndex(reflect.ValueOf("key"), sample(kind.Elem(), n))
	case reflect.Struct:
		for i := range kind.NumField() {
			v.Field(i).Set(sample(kind.Field(i).Type, 1))
			if kind.Field(i).Name != "Present" {
				v.Field(i).Set(sample(kind.Field(i).Type, n))
			}
		}
	default:
		panic("sample doesn't know " + kind.String())
	}
	return v
}
