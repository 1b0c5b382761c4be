package pages

import (
	"bytes"
	"net/http"

	"github.com/klauspost/compress/gzip"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
)

// tooSmall is the size in bytes of pages that compression hardly makes smaller.
const tooSmall = 1 << 10

// publicPath is a part of each URL that gives access to what it names without a key.
var publicPath = []byte("/attachments/")

// compressible reports whether a page may be compressed for a request.
//
// The size of a compressed page depends on whether what it repeats from its address is also in the rest of it, so that another website
// could guess that, letter by letter, by what a browser asks for on its behalf. Pages with URLs that are a secret are therefore never
// compressed, and no page is if another website asks for it.
func compressible(r *http.Request, page []byte) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return len(page) > tooSmall && web.AcceptsGzip(r) && site != "cross-site" && site != "same-site" && !bytes.Contains(page, publicPath)
}

// send writes a page, compressed if it may be.
func send(w http.ResponseWriter, r *http.Request, page []byte) {
	if !compressible(r, page) {
		_, _ = w.Write(page) // An error means that the client is gone.
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	compressed, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err == nil {
		_, _ = compressed.Write(page)
		_ = compressed.Close()
	}
}
