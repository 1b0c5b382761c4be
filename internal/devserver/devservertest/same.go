package devservertest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// Same is assert.Same.
func Same(t testing.TB, what string, want, got any, options ...cmp.Option) {
	t.Helper()
	assert.Same(t, what, want, got, options...)
}

// Must is assert.Must.
func Must(t testing.TB, err error) {
	t.Helper()
	assert.Must(t, err)
}
