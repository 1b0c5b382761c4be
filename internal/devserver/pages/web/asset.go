package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed static
var staticFiles embed.FS

// assets are the files used by pages.
type assets struct {
	// names maps plain names to names with a digest of the content; content and compressed are keyed by the latter.
	names               map[string]string
	content, compressed map[string][]byte
}

var readAssets = sync.OnceValue(func() assets {
	all := assets{map[string]string{}, map[string][]byte{}, map[string][]byte{}}
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
			all.names[name], all.content[hashed], all.compressed[hashed] = hashed, content, compressed(content)
			return err
		})
	}
	if err != nil {
		panic(err) // They are embedded in the program.
	}
	return all
})

func hashedName(name string) string { return readAssets().names[name] }

// compressed returns a text in gzip format.
func compressed(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(content) // A buffer takes everything.
	_ = w.Close()
	return b.Bytes()
}

// AcceptsGzip reports whether a client takes responses in gzip format.
func AcceptsGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, quality, _ := strings.Cut(coding, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(quality), "q="), 64)
			return quality == "" || err == nil && q > 0
		}
	}
	return false
}

// assetTypes maps file extensions to media types.
var assetTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// Assets serves the files used by pages, below any path. Their names change with their content, so browsers may cache them
// forever.
func Assets() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := path.Base(r.URL.Path)
		content, known := readAssets().content[name]
		if !known {
			http.NotFound(w, r)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", assetTypes[path.Ext(name)])
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Vary", "Accept-Encoding")
		if AcceptsGzip(r) {
			w.Header().Set("Content-Encoding", "gzip")
			content = readAssets().compressed[name]
		}
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
	})
}
