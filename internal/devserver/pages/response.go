package pages

import (
	"bytes"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzhttp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
)

// publicPath is a part of each URL that gives access to what it names without a key.
var publicPath = []byte("/attachments/")

// send writes a page, compressed if it may be.
//
// The size of a compressed page depends on whether what it repeats from its address is also in the rest of it, so that another website
// could guess that, letter by letter, by what a browser asks for on its behalf. Pages with URLs that are a secret are therefore never
// compressed, and no page is if another website asks for it.
func send(w http.ResponseWriter, r *http.Request, page []byte) {
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" || bytes.Contains(page, publicPath) {
		w.Header().Set(gzhttp.HeaderNoCompression, "secret")
	}
	web.Compressed(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(page) // An error means that the client is gone.
	}).ServeHTTP(w, r)
}

// wantsJSON reports whether a request wants a page's data: it prefers JSON to HTML, or names it more specifically.
func wantsJSON(r *http.Request) bool {
	data, dataNamed := acceptance(r, "application/json")
	page, pageNamed := acceptance(r, "text/html")
	return data > page || data == page && dataNamed > pageNamed
}

// acceptance returns the quality that a request gives a media type, by the most specific matching range: the type itself,
// its family, or any.
func acceptance(r *http.Request, mediaType string) (quality float64, exactness int) {
	kind, _, _ := strings.Cut(mediaType, "/")
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		name, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		exact := map[string]int{"*/*": 1, kind + "/*": 2, mediaType: 3}[name]
		if exact <= exactness {
			continue
		}
		exactness, quality = exact, 1
		if q, given := params["q"]; given {
			quality, _ = strconv.ParseFloat(q, 64) // An invalid number counts as 0.
		}
	}
	return quality, exactness
}
