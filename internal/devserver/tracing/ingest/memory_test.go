package ingest_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/iotest"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// zeros never end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestReadAll(t *testing.T) {
	t.Parallel()
	memory := ingest.NewMemory(4<<20, 4<<20)
	for _, size := range []int{0, 1, 4095, 4096, 4097, 1 << 20} {
		share := memory.Share()
		want := bytes.Repeat([]byte("x"), size)
		got, err := share.ReadAll(iotest.HalfReader(bytes.NewReader(want)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("read %d of %d bytes, %v", len(got), size, err)
		}
		share.Release()
	}
	broken := errors.New("broken off")
	if _, err := memory.Share().ReadAll(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

func TestMemoryOfARequest(t *testing.T) {
	t.Parallel()
	memory := ingest.NewMemory(1<<20, 1<<30)
	share := memory.Share()
	defer share.Release()
	_, err := share.ReadAll(zeros{})
	wantStatus(t, err, http.StatusRequestEntityTooLarge)
}

// TestMemoryOfAll: requests that are small enough alone can be too much together, until one of them is done.
func TestMemoryOfAll(t *testing.T) {
	t.Parallel()
	const each = 1 << 20
	memory := ingest.NewMemory(2*each, 5*each/2)
	read := func(share *ingest.Share) error {
		_, err := share.ReadAll(io.LimitReader(zeros{}, each))
		return err
	}
	first, second, third := memory.Share(), memory.Share(), memory.Share()
	for _, share := range []*ingest.Share{first, second} {
		if err := read(share); err != nil {
			t.Fatal(err)
		}
	}
	wantStatus(t, read(third), http.StatusTooManyRequests)
	third.Release()
	first.Release()
	if err := read(third); err != nil {
		t.Error(err)
	}
}

func wantStatus(t *testing.T, err error, status int) {
	t.Helper()
	refused, is := errors.AsType[*ingest.Error](err)
	if !is || refused.Status != status {
		t.Errorf("error %v, want status %d", err, status)
	}
}

// share is enough for any test that is not about memory.
func share() *ingest.Share { return ingest.NewMemory(1<<20, 1<<20).Share() }
