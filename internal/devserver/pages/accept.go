package pages

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

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
