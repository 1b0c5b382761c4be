package pages

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// wantsJSON says that a request wants what a page shows as data: it accepts JSON more than HTML, or names it more exactly.
func wantsJSON(r *http.Request) bool {
	data, dataNamed := acceptance(r, "application/json")
	page, pageNamed := acceptance(r, "text/html")
	return data > page || data == page && dataNamed > pageNamed
}

// acceptance is the quality that a request gives a media type, by the range that names it most exactly: as itself, as one of its
// kind, or as anything.
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
			quality, _ = strconv.ParseFloat(q, 64) // What is no number is nothing.
		}
	}
	return quality, exactness
}
