package mask

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"mime/quotedprintable"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// encoding is a way in which a service may encode a value that it echoes.
type encoding struct {
	// name begins with the name of the form.
	name   string
	encode func(string) string
}

var encodings = []encoding{
	{"raw", func(s string) string { return s }},
	{"JSON", marshalled},
	{"JSON in ASCII", func(s string) string { return asciiOf(marshalled(s)) }},
	{"Python", pythonRepr},
	{"Python bytes", pythonBytes},
	{"JSON as in Go", func(s string) string { quoted := strconv.QuoteToASCII(s); return quoted[1 : len(quoted)-1] }},
	{"HTML", html.EscapeString},
	{"HTML by number", htmlByNumber},
	{"URL query", url.QueryEscape},
	{"URL path", url.PathEscape},
	{"quoted-printable", quotedPrintably},
	{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
	{"base64 of addresses", func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }},
	{"base64 in lines", func(s string) string { return inLines(base64.StdEncoding.EncodeToString([]byte(s))) }},
	{"base32", func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) }},
	{"base32 in small letters", func(s string) string { return strings.ToLower(base32.StdEncoding.EncodeToString([]byte(s))) }},
	{"hexadecimal", func(s string) string { return hex.EncodeToString([]byte(s)) }},
	{"hexadecimal in capitals", func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }},
	{"white space", inLines},
	{"capitals", strings.ToUpper},
	{"small letters", strings.ToLower},
}

func marshalled(s string) string {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(quoted[1 : len(quoted)-1])
}

// asciiOf escapes everything but ASCII as \u, as Python's json does.
func asciiOf(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04X`, high, low)
		}
	}
	return b.String()
}

func pythonRepr(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r < ' ' || r > '~' && r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r >= 0x10000:
			fmt.Fprintf(&b, `\U%08x`, r)
		case r >= 0x100:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func pythonBytes(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\'' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func htmlByNumber(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch i % 3 {
		case 0:
			fmt.Fprintf(&b, "&#%d;", r)
		case 1:
			fmt.Fprintf(&b, "&#x%X;", r)
		default:
			b.WriteString(html.EscapeString(string(r)))
		}
	}
	return b.String()
}

func quotedPrintably(s string) string {
	var b strings.Builder
	w := quotedprintable.NewWriter(&b)
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.String()
}

func inLines(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i += 19 {
		b.WriteString(s[i:min(i+19, len(s))] + "\r\n")
	}
	return b.String()
}

// hostile lists secrets full of characters that encodings change, and of text that looks encoded.
var hostile = []string{
	"canary-4711-of-the-test", "sk-Zo\u00e9\u4e16\U0001f600-'quoted\"", `back\slash\u0041\x41 %41+&amp;<tag>`, "line one\nline two\r\n\tthree",
	"postgresql://user:p%40ss@db.example.com/x?a=b&c=d", "aGVsbG8gd29ybGQhIQ==", "\\\\\\\\\\\\\\\\''''\"\"\"\"", "        x         ",
	"&lt;&lt;&lt;", "%%%%%%%%%%%%", "++++++++++++", "************", "4711-key",
	"\U0001f600\U0001f511\u00e9\u00e8\u00ea\u00eb",
}

// TestMask_encodings encodes secrets twice, with each pair of encodings, and expects no part of them in errors.
func TestMask_encodings(t *testing.T) {
	t.Parallel()
	for i, outer := range encodings {
		for j, inner := range encodings {
			if destroys(outer, inner) {
				continue
			}
			t.Run(inner.name+" in "+outer.name, func(t *testing.T) {
				t.Parallel()
				for n := range 3 { // FuzzMask tries the others.
					secret := hostile[(i+5*j+n*4)%len(hostile)]
					expectMasked(t, secret, "the value '", "' is wrong; try ab", inner, outer, n)
				}
			})
		}
	}
}

// destroys reports whether an encoding changes the case of letters that have another meaning in the other case.
func destroys(outer, inner encoding) bool {
	if outer.name != "capitals" && outer.name != "small letters" {
		return false
	}
	name, _, _ := strings.Cut(inner.name, " ")
	return slices.Contains([]string{"base64", "JSON", "Python", "HTML"}, name)
}

// FuzzMask looks for a secret and a surrounding text with which masking misses a part of the secret.
func FuzzMask(f *testing.F) {
	for i, secret := range hostile {
		n := uint8(i)
		f.Add(secret, "value: ", " is wrong", n, n*n, n)
	}
	f.Add("ends in half a letter \u00e9", "{\"detail\": \"", "\"}", uint8(2), uint8(10), uint8(200))
	f.Fuzz(func(t *testing.T, secret, before, after string, inner, outer, cut uint8) {
		// Terraform's strings are UTF-8, and only long secrets are also masked in parts: turn every input into such a secret.
		secret = strings.ToValidUTF8(secret, "\u00e9")
		secret += "canary-1"[:max(0, fragmentLength-len(secret))]
		within, around := encodings[int(inner)%len(encodings)], encodings[int(outer)%len(encodings)]
		if !destroys(around, within) {
			expectMasked(t, secret, before, after, within, around, int(cut))
		}
	})
}

// expectMasked checks that what errors quote of several kinds of bodies contains no part of the secret.
func expectMasked(t *testing.T, secret, before, after string, inner, outer encoding, cut int) {
	t.Helper()
	echo := outer.encode(before + inner.encode(secret) + after)
	echo = echo[:len(echo)-min(cut, len(echo))]
	bodies := map[string]string{
		"text": echo, "detail": `{"detail": "` + marshalled(echo) + `"}`, "object": `{"detail": {"echo": "` + marshalled(echo) + `"}}`,
		"validation": `{"detail": [{"loc": ["body", "` + marshalled(echo) + `"], "msg": "` + marshalled(echo) + `", "type": "t"}]}`,
		"broken off": `{"detail": "` + marshalled(echo),
	}
	length := fragmentLength
	if bitsOf(inner) > 0 || bitsOf(outer) > 0 {
		length += 7 // The characters at both ends encode only parts of a byte.
	}
	mask := New(secret)
	for name, body := range bodies {
		var said []string
		for _, part := range textsIn(body) {
			said = append(said, mask(OneLine(part)))
		}
		text := strings.Join(said, "\x00")
		for i := 0; i+length <= len(secret); i++ {
			fragment := secret[i : i+length]
			if strings.Contains(public, fragment) || !utf8.ValidString(fragment) { // Parts of different characters can be equal.
				continue
			}
			for _, trace := range traces(fragment, inner, outer) {
				if len(trace) >= fragmentLength && strings.Contains(text, trace) {
					t.Fatalf("%s, %s in %s, cut by %d, secret %q: the error contains %q: %q", name, inner.name, outer.name, cut, secret, fragment, text)
				}
			}
		}
	}
}

// textsIn returns the texts of a body that an error may quote: those of a JSON document, or the body itself.
func textsIn(body string) (texts []string) {
	var value any
	if json.Unmarshal([]byte(body), &value) != nil {
		return []string{body}
	}
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case string:
			texts = append(texts, v)
		case []any:
			for _, element := range v {
				walk(element)
			}
		case map[string]any:
			for _, member := range v {
				walk(member)
			}
		}
	}
	walk(value)
	return append(texts, body) // As it is quoted if its form is unknown.
}

// traces returns what a fragment looks like in both encodings, at any position in a longer text.
func traces(fragment string, inner, outer encoding) []string {
	found := []string{fragment}
	for _, once := range parts(fragment, inner) {
		found = append(found, parts(once, outer)...)
	}
	return found
}

// parts returns the encoded forms of a text within a longer one: for base64 and its like, the characters that don't depend on the
// surrounding text.
func parts(text string, by encoding) []string {
	bits := bitsOf(by)
	switch {
	case strings.HasSuffix(by.name, "in lines") || by.name == "white space" || by.name == "quoted-printable":
		return nil // Line breaks depend on the preceding text.
	case bits == 0:
		return []string{by.encode(text)}
	}
	found := make([]string, 0, bits)
	for before := range 5 {
		letters := strings.TrimRight(by.encode(strings.Repeat("x", before)+text), "=")
		from, to := (before*8+bits-1)/bits, (before+len(text))*8/bits
		found = append(found, letters[from:to])
	}
	return found
}

// bitsOf returns how many bits of a text each character encodes, and zero if the encoding isn't such a one.
func bitsOf(by encoding) int {
	name, _, _ := strings.Cut(by.name, " ")
	return map[string]int{"base64": 6, "base32": 5, "hexadecimal": 4}[name]
}

// TestForms expects an encoding of these tests, and a claim of the changelog, for each form in which secrets are recognized.
func TestForms(t *testing.T) {
	t.Parallel()
	changelog, err := os.ReadFile(filepath.Join("..", "..", "..", "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range forms {
		if !slices.ContainsFunc(encodings, func(e encoding) bool { return strings.HasPrefix(e.name, form.name) }) {
			t.Errorf("no test encodes secrets as %s", form.name)
		}
		claim := regexp.MustCompile(`(?m)^\* provider: masks keys and secrets .*` + regexp.QuoteMeta(form.name))
		if !claim.Match(changelog) {
			t.Errorf("the changelog doesn't say that secrets are masked in %s", form.name)
		}
	}
}

func BenchmarkMask(b *testing.B) {
	mask := New(hostile...)
	for name, text := range map[string]string{
		"sentence": "A deployment named 'chat' already exists; choose another name, or import it under the id 4711-4711-4711-4711.",
		"long":     strings.Repeat(`{"detail": "Z29vZA== &amp; %41\\u0041+x", `, Longest/42),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				mask(text)
			}
		})
	}
}

// TestMask_quotedPrintable masks a secret of which every character is encoded: nothing but decoding it finds any part.
func TestMask_quotedPrintable(t *testing.T) {
	t.Parallel()
	const secret = "éüßöäéüßöä"
	if got := New(secret)("refused: " + quotedPrintably(secret)); got != "refused: ***" {
		t.Errorf("masked = %q, want nothing of the secret", got)
	}
}
