package rest

import (
	"cmp"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
)

// DefaultWorkspaceID is the workspace of a request that doesn't name one while Config.Keys is empty.
const DefaultWorkspaceID = "00000000-0000-4000-8000-000000000001"

// defaultUserID is the user of a key without a user, and of requests without a key.
const defaultUserID = "00000000-0000-4000-8000-000000000002"

// Key is an API key and the workspaces that it gives access to.
type Key struct {
	Value      string
	Workspaces []string // Workspace UUIDs; if there is exactly one, requests need not name it.
	User       string   // The user that the key belongs to; empty for defaultUserID.
}

// Canonical never includes the key's value in its error.
func (k Key) Canonical() (Key, error) {
	if k.Value == "" {
		return k, errors.New("the key is empty: set a value")
	}
	if len(k.Workspaces) == 0 {
		return k, errors.New("the key has no workspace: specify at least one workspace ID")
	}
	workspaces := make([]string, len(k.Workspaces))
	for i, w := range k.Workspaces {
		id, err := uuid.Parse(w)
		if err != nil {
			return k, fmt.Errorf("workspace %q is not a UUID: use one like %s", w, DefaultWorkspaceID)
		}
		workspaces[i] = id.String()
	}
	return Key{Value: k.Value, Workspaces: workspaces, User: cmp.Or(k.User, defaultUserID)}, nil
}

// Identify determines the workspace of a request.
func Identify(keys []Key, header http.Header) (string, error) {
	var workspaces []string // Nil: all workspaces.
	if len(keys) > 0 {
		key, known := KeyOf(keys, header)
		if !known {
			return "", Unauthorized()
		}
		workspaces = key.Workspaces
	}
	wanted := header.Get("X-Tenant-Id")
	if wanted == "" {
		return impliedWorkspace(workspaces)
	}
	id, err := uuid.Parse(wanted)
	if err != nil {
		return "", form.OfFields(form.NotUUID([]api.LocStep{api.Key("header"), api.Key("x-tenant-id")}, err))
	}
	if workspaces != nil && !slices.Contains(workspaces, id.String()) {
		return "", form.Refuse(form.Forbidden, "This API key has no access to workspace '%s'.", id)
	}
	return id.String(), nil
}

// forEverybody refuses a change that concerns all users of the server unless the request's key lists every workspace that has a
// key.
func forEverybody(keys []Key, header http.Header) error {
	own, _ := KeyOf(keys, header)
	for _, key := range keys {
		for _, workspaceID := range key.Workspaces {
			if !slices.Contains(own.Workspaces, workspaceID) {
				return form.Refuse(form.Forbidden, "This concerns all users of the server: it requires an API key for every workspace.")
			}
		}
	}
	return nil
}

// Unauthorized refuses a request without a valid key.
func Unauthorized() *form.Error {
	return form.Refuse(form.Unauthorized, "Invalid or missing API key. Send a valid one as X-Api-Key or as Authorization: Bearer.")
}

// UserOf returns the user that the request's key belongs to.
func UserOf(keys []Key, header http.Header) string {
	key, _ := KeyOf(keys, header)
	return cmp.Or(key.User, defaultUserID)
}

func impliedWorkspace(workspaces []string) (string, error) {
	switch len(workspaces) {
	case 0:
		return DefaultWorkspaceID, nil
	case 1:
		return workspaces[0], nil
	default:
		return "", form.Refuse(form.Forbidden, "This API key is org-scoped and requires workspace specification. "+
			"Please provide 'X-Tenant-ID' header.")
	}
}

// credential returns the key of a request, from whichever header has it.
func credential(header http.Header) string {
	if key := header.Get("X-Api-Key"); key != "" {
		return key
	}
	scheme, token, _ := strings.Cut(header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// KeyOf returns the key of a request; of equal ones, the last. It compares with all of them, so that the time that it takes doesn't say which
// one it is.
func KeyOf(keys []Key, header http.Header) (key Key, known bool) {
	given, at := []byte(credential(header)), -1
	for i := range keys {
		at = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare([]byte(keys[i].Value), given), i, at)
	}
	if at < 0 {
		return key, false
	}
	return keys[at], true
}
