package client

import (
	"fmt"
	"strings"
)

// isAsked keeps an object from passing for the one that was asked for: caches and proxies mix up answers.
func isAsked(kind, asked, got string) error {
	if plainID(asked) == plainID(got) {
		return nil
	}
	return fmt.Errorf("the response is about another %s: its id is %q, not %q", kind, got, asked)
}

// plainID is what spellings of a UUID have in common.
func plainID(id string) string { return strings.ReplaceAll(strings.ToLower(id), "-", "") }

// isNamed is isAsked for the answer to a write of what users name themselves. An answer without the name proves nothing: some
// services answer no more than an id.
func isNamed(kind, key, asked, got string) error {
	if asked == got || got == "" {
		return nil
	}
	return fmt.Errorf("the response is about another %s: its %s is %q, not %q", kind, key, got, asked)
}
