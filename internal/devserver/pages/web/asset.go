package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

//go:embed static
var staticFiles embed.FS

// assets are the files used by pages.
type assets struct {
	// names maps plain names to names with a digest of the content, by which content is keyed.
	names   map[string]string
	content map[string][]byte
}

var readAssets = sync.OnceValue(func() assets {
	all := assets{map[string]string{}, map[string][]byte{}}
	files, err := fs.Sub(staticFiles, "static")
	if err == nil {
		err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := fs.ReadFile(files, name)
			digest := sha256.Sum256(content)
			extension := path.Ext(name)
			hashed := strings.TrimSuffix(name, extension) + "." + hex.EncodeToString(digest[:6]) + extension
			all.names[name], all.content[hashed] = hashed, content
			return err
		})
	}
	if err != nil {
		panic(err) // They are embedded in the program.
	}
	return all
})

func hashedName(name string) string { return readAssets().names[name] }

// assetTypes maps file extensions to media types.
var assetTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// Assets serves the files used by pages, below any path. Their names change with their content, so browsers may cache them
// forever.
func Assets() http.Handler {
	return Compressed(func(w http.ResponseWriter, r *http.Request) {
		name := path.Base(r.URL.Path)
		content, known := readAssets().content[name]
		if !known {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", assetTypes[path.Ext(name)])
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
	})
}

// Compressed compresses what a handler answers, as quickly as it can and for all clients that read gzip.
func Compressed(h http.HandlerFunc) http.Handler {
	wrap, _ := gzhttp.NewWrapper(gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.EnableZstd(false)) // Both are valid.
	return wrap(h)
}
