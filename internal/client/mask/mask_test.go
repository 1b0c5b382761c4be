package mask

import (
	"strings"
	"testing"
)

func TestNew(t *testing.T) {
	t.Parallel()
	const secret = "Kx7-Qz9_Wv3+Ty5="
	for name, test := range map[string]struct {
		secrets    []string
		text, want string
	}{
		"whole":                         {[]string{secret}, "the value " + secret + " is wrong", "the value *** is wrong"},
		"cut off at its end":            {[]string{secret}, "the value " + secret[:8], "the value ***"},
		"cut off at its beginning":      {[]string{secret}, secret[len(secret)-8:] + " is wrong", "*** is wrong"},
		"a fragment from its middle":    {[]string{secret}, "..." + secret[3:11] + "...", "...***..."},
		"too short a fragment":          {[]string{secret}, "the value " + secret[:7], "the value " + secret[:7]},
		"a short secret":                {[]string{"w4lk"}, "don't w4lk", "don't ***"},
		"too short a secret":            {[]string{"w4l"}, "don't w4l", "don't w4l"},
		"a part of a short secret":      {[]string{"w4lking"}, "don't w4lk", "don't w4lk"},
		"no secret":                     {nil, secret, secret},
		"a public word":                 {[]string{"environment-1"}, "an environment", "an environment"},
		"two that overlap":              {[]string{"abcd1234", "1234efgh"}, "x abcd1234efgh y", "x *** y"},
		"two, the later one first":      {[]string{"later-one", "first-one"}, "first-one and later-one", "*** and ***"},
		"broken by white space":         {[]string{secret}, secret[:9] + "\n  " + secret[9:], "***"},
		"short, broken by white space":  {[]string{"w4lk"}, "w4 lk", "w4 lk"},
		"with white space of its own":   {[]string{"first line\nsecond line"}, "first line second line", "***"},
		"in letters of the other case":  {[]string{secret}, strings.ToUpper(secret), "***"},
		"in a path, with a plus":        {[]string{"K+7/Q+9/W+3/T+5"}, "GET /K+7%2FQ+9%2FW+3%2FT+5: 404", "GET /***: 404"},
		"beside invalid UTF-8":          {[]string{secret}, "\xff" + secret + "\xff", "\xff***\xff"},
		"with letters outside of ASCII": {[]string{"Schlüssel-Größe"}, "SCHLÜSSEL-GRÖSSE und Schlüssel-Größe", "***SSE und ***"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := New(test.secrets...)(test.text); got != test.want {
				t.Errorf("masked = %q, want %q", got, test.want)
			}
		})
	}
}

// TestNew_long never searches, and never shows, more than a part of a long text.
func TestNew_long(t *testing.T) {
	t.Parallel()
	const secret = "Kx7-Qz9_Wv3+Ty5="
	got := New(secret)(strings.Repeat("ä", Longest) + secret)
	if !strings.HasSuffix(got, "…") || len(got) > Longest+len("…") || strings.Contains(got, secret) {
		t.Errorf("masked = %d bytes, ending in %q; want at most %d, ending in …", len(got), got[len(got)-8:], Longest)
	}
	if got := New(secret)(strings.Repeat("a", Longest)); len(got) != Longest {
		t.Errorf("masked = %d bytes, want all %d", len(got), Longest)
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	if got, want := OneLine(" red\x1b[31m\x00 \r\n\u2028and\ttext "), "red [31m and text"; got != want {
		t.Errorf("line = %q, want %q", got, want)
	}
}
