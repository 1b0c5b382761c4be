package limits_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// zeros is an endless reader.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestReadAll(t *testing.T) {
	t.Parallel()
	memory := limits.NewMemory(8 << 20)
	for _, size := range []int{0, 1, 4095, 4096, 4097, 256 << 10, 256<<10 + 1, 1 << 20, 3<<20 + 7} {
		share := memory.Share("a", 4<<20)
		want := bytes.Repeat([]byte("x"), size)
		got, err := share.ReadAll(iotest.HalfReader(bytes.NewReader(want)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("ReadAll returned %d of %d bytes (or wrong ones), %v", len(got), size, err)
		}
		share.Release()
	}
	broken := errors.New("broken off")
	if _, err := memory.Share("a", 4<<20).ReadAll(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("error = %v, want %v", err, broken)
	}
}

// TestReadPart checks that what was read stays as it is while more is read, and how much is accounted for: the buffer
// for small parts counts once, and a large part doesn't count twice.
func TestReadPart(t *testing.T) {
	t.Parallel()
	const large = 1 << 20
	memory := limits.NewMemory(8 << 20)
	share := memory.Share("a", 2*large)
	sizes := []int{100, 50_000, 0, 5_000, large, 100}
	var parts [][]byte
	for i, size := range sizes {
		part, err := share.ReadPart(bytes.NewReader(bytes.Repeat([]byte{byte(i)}, size)))
		if err != nil {
			t.Fatalf("part %d: %v", i, err)
		}
		parts = append(parts, part)
	}
	for i, part := range parts {
		if !bytes.Equal(part, bytes.Repeat([]byte{byte(i)}, sizes[i])) {
			t.Errorf("part %d has changed, or %d bytes instead of %d", i, len(part), sizes[i])
		}
	}
}

func TestMemoryOfARequest(t *testing.T) {
	t.Parallel()
	memory := limits.NewMemory(1 << 30)
	share := memory.Share("a", 1<<20)
	defer share.Release()
	_, err := share.ReadAll(zeros{})
	wantTooMuch(t, err, limits.TooMuchError{Bytes: 1 << 20})
}

// TestMemoryOfAll checks that requests within the limit can exceed the shared one together, until one of them is done.
func TestMemoryOfAll(t *testing.T) {
	t.Parallel()
	const each = 1 << 20
	memory := limits.NewMemory(5 * each / 2)
	read := func(share *limits.Share) error {
		_, err := share.ReadAll(io.LimitReader(zeros{}, each))
		return err
	}
	first, second, third := memory.Share("a", 2*each), memory.Share("b", 2*each), memory.Share("c", 2*each)
	for _, share := range []*limits.Share{first, second} {
		devservertest.Must(t, read(share))
	}
	wantTooMuch(t, read(third), limits.TooMuchError{Bytes: 5 * each / 2, Together: true})
	third.Release()
	first.Release()
	devservertest.Must(t, read(third))
}

// TestMemoryOfAWorkspace checks that the requests of a workspace take at most half together, and another workspace the rest.
func TestMemoryOfAWorkspace(t *testing.T) {
	t.Parallel()
	memory := limits.NewMemory(4 << 20)
	first, second, other := memory.Share("a", 4<<20), memory.Share("a", 4<<20), memory.Share("b", 4<<20)
	devservertest.Must(t, first.Take(2<<20))
	wantTooMuch(t, second.Take(1), limits.TooMuchError{Bytes: 2 << 20, Together: true})
	if err := other.Take(2 << 20); err != nil {
		t.Errorf("the other workspace: %v, want half of the memory", err)
	}
	first.Release()
	if err := second.Take(2 << 20); err != nil {
		t.Errorf("after the first request: %v, want its memory", err)
	}
}

func wantTooMuch(t *testing.T, err error, want limits.TooMuchError) {
	t.Helper()
	if got, is := errors.AsType[*limits.TooMuchError](err); !is || *got != want {
		t.Errorf("error = %v, want %v", err, &want)
	}
}
