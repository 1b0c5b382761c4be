package store

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkSearchIndex saves 1,000 runs of 60 words at a time, taken from the source of this package, with and without indexing them for searches.
func BenchmarkSearchIndex(b *testing.B) {
	const words, runs = 60, 1000
	files, err := filepath.Glob("*.go")
	if err != nil {
		b.Fatal(err)
	}
	var source []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		source = append(source, strings.Fields(string(text))...)
	}
	for _, indexed := range []bool{false, true} {
		b.Run(fmt.Sprintf("index=%t", indexed), func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 1))
			s := openUnindexedAt(b, filepath.Join(b.TempDir(), "plane.db"), 0)
			saved := 0
			for b.Loop() {
				must(b, s, func(tx *Tx) error {
					for range runs {
						from := random.IntN(len(source) - words)
						text, err := json.Marshal(map[string]any{"inputs": map[string]any{"text": strings.Join(source[from:from+words], " ")}})
						if err == nil {
							err = tx.SaveRun(searchedRunNumber(saved), RunBody{Post: text, Patch: []byte("{}")}, nil)
						}
						if err != nil {
							return err
						}
						saved++
					}
					return nil
				})
				for indexed && index(b, s) {
				}
			}
			pages, size := number(b, s, "PRAGMA page_count"), number(b, s, "PRAGMA page_size")
			b.ReportMetric(float64(pages*size)/float64(saved), "bytes/run")
		})
	}
}
