package client

import (
	"fmt"
	"strings"
)

// isAsked checks that an object is the requested one: caches and proxies may mix responses up.
func isAsked(kind, asked, got string) error {
	if plainID(asked) == plainID(got) {
		return nil
	}
	return fmt.Errorf("the response is about another %s: its id is %q, not %q", kind, got, asked)
}

// plainID normalizes the spelling of a UUID.
func plainID(id string) string { return strings.ReplaceAll(strings.ToLower(id), "-", "") }

// isNamed is isAsked for responses to writes of objects that users name. A response without the name is accepted, because some
// services return only an ID.
func isNamed(kind, key, asked, got string) error {
	if asked == got || got == "" {
		return nil
	}
	return fmt.Errorf("the response is about another %s: its %s is %q, not %q", kind, key, got, asked)
}
