package framework_test

import (
	"errors"
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

// TestAmend checks that a change applies to a remembered result, or to a successful new one.
func TestAmend(t *testing.T) {
	t.Parallel()
	var m framework.Memo
	ask, tenfold := counter(), func(n int) int { return 10 * n }
	framework.Amend(&m, "a", ask, tenfold)
	framework.Amend(&m, "a", ask, tenfold)
	if got, err := framework.Remember(&m, "a", ask); err != nil || got != 100 {
		t.Errorf("Remember = %d, %v; want 100", got, err)
	}
	down := errors.New("down")
	failing := func() (int, error) { return 1, down }
	framework.Amend(&m, "b", failing, tenfold)
	if got, err := framework.Remember(&m, "b", ask); !errors.Is(err, down) || got != 1 {
		t.Errorf("Remember = %d, %v; want 1 and the remembered error", got, err)
	}
}

// TestAmend_overtaken checks that a change is applied again to what another caller has left meanwhile.
func TestAmend_overtaken(t *testing.T) {
	t.Parallel()
	for name, overtake := range map[string]func(m *framework.Memo, ask func() (int, error)){
		"forgotten": func(m *framework.Memo, _ func() (int, error)) { m.Forget("a") },
		"asked again": func(m *framework.Memo, ask func() (int, error)) {
			m.Forget("a")
			_, _ = framework.Remember(m, "a", ask)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var m framework.Memo
			ask, overtaken := counter(), false
			framework.Amend(&m, "a", ask, func(n int) int {
				if !overtaken {
					overtaken = true
					overtake(&m, ask)
				}
				return 10 * n
			})
			if got, err := framework.Remember(&m, "a", ask); err != nil || got != 20 {
				t.Errorf("Remember = %d, %v; want ten times the second answer", got, err)
			}
		})
	}
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
	for range 20 {
		all.Go(func() { framework.Amend(&m, "key", ask, func(n int) int { return n + 1 }) })
	}
	all.Wait()
	if got, err := framework.Remember(&m, "key", ask); err != nil || got != 21 {
		t.Errorf("Remember = %d, %v; want 21, with every change", got, err)
	}
}
