package framework_test

import (
	"sync"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// counter returns the number of its calls.
func counter() func() (int, error) {
	asked := 0
	return func() (int, error) {
		asked++
		return asked, nil
	}
}

func TestMemo(t *testing.T) {
	t.Parallel()
	var m framework.Memo
	ask := counter()
	expect := func(key string, want int) {
		t.Helper()
		if got, err := framework.Remember(&m, key, ask); err != nil || got != want {
			t.Errorf("%s: Remember = %d, %v; want %d", key, got, err, want)
		}
	}
	expect("a", 1)
	expect("a", 1)
	expect("b", 2)
	m.Forget("a")
	m.Forget("never asked")
	expect("a", 3)
	expect("b", 2)
}

// TestMemo_concurrent checks that concurrent callers share one call.
func TestMemo_concurrent(t *testing.T) {
	t.Parallel()
	var m framework.Memo
	ask := counter()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if got, err := framework.Remember(&m, "key", ask); err != nil || got != 1 {
				t.Errorf("Remember = %d, %v; want 1", got, err)
			}
		})
	}
	all.Wait()
}
