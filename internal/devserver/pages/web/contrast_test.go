package web

import (
	"io/fs"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func styleSheet(t testing.TB) string {
	t.Helper()
	css, err := fs.ReadFile(staticFiles, "static/style.css")
	if err != nil {
		t.Fatal(err)
	}
	return string(css)
}

// schemes returns the custom properties of the light and the dark scheme.
func schemes(t testing.TB) map[string]map[string]string {
	t.Helper()
	blocks := regexp.MustCompile(`:root \{([^}]*)\}`).FindAllStringSubmatch(styleSheet(t), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d schemes, want 2, light and dark", len(blocks))
	}
	all := map[string]map[string]string{"light": {}, "dark": {}}
	for i, name := range []string{"light", "dark"} {
		for _, property := range regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(blocks[i][1], -1) {
			all[name][property[1]] = property[2]
		}
	}
	return all
}

// luminance is the relative luminance of WCAG 2.
func luminance(t testing.TB, colour string) float64 {
	t.Helper()
	var sum float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func contrast(t testing.TB, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestContrastFormula(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]float64{
		{"#000000", "#ffffff"}: 21, {"#777777", "#ffffff"}: 4.48, {"#123456", "#123456"}: 1,
	} {
		if got := contrast(t, pair[0], pair[1]); math.Abs(got-want) > 0.01 {
			t.Errorf("contrast of %v = %.2f, want %.2f", pair, got, want)
		}
	}
}

// TestContrast checks that text and meaningful graphics have the contrast of WCAG level AA on all their backgrounds.
func TestContrast(t *testing.T) {
	t.Parallel()
	const text, graphics = 4.5, 3
	pairs := map[string]struct {
		least float64
		on    []string
	}{
		"text":      {text, []string{"background", "surface"}},
		"muted":     {text, []string{"background", "surface", "good-back"}},
		"link":      {text, []string{"background", "surface"}},
		"good":      {text, []string{"good-back"}},
		"bad":       {text, []string{"bad-back", "background", "surface"}},
		"busy":      {text, []string{"busy-back"}},
		"idle":      {text, []string{"idle-back"}},
		"control":   {graphics, []string{"background", "surface"}},
		"focus":     {graphics, []string{"background", "surface"}},
		"series-0":  {graphics, []string{"background", "surface"}},
		"series-1":  {graphics, []string{"background", "surface"}},
		"series-2":  {graphics, []string{"background", "surface"}},
		"series-3":  {graphics, []string{"background", "surface"}},
		"waiting":   {graphics, []string{"background"}},
		"building":  {graphics, []string{"background"}},
		"deploying": {graphics, []string{"background"}},
		"mark":      {graphics, []string{"surface", "background"}},
	}
	for scheme, colours := range schemes(t) {
		for front, pair := range pairs {
			for _, back := range pair.on {
				if colours[front] == "" || colours[back] == "" {
					t.Errorf("%s: colour %s or %s isn't defined", scheme, front, back)
				} else if got := contrast(t, colours[front], colours[back]); got < pair.least {
					t.Errorf("%s: contrast of %s on %s = %.2f, want at least %.1f", scheme, front, back, got, pair.least)
				}
			}
		}
		for name := range colours {
			_, front := pairs[name]
			if back := strings.HasSuffix(name, "-back") || name == "background" || name == "surface" || name == "line"; !front && !back {
				t.Errorf("%s: colour %s isn't checked by this test", scheme, name)
			}
		}
	}
}

// TestNoOtherColours checks that all colours are custom properties, so that TestContrast checks all of them.
func TestNoOtherColours(t *testing.T) {
	t.Parallel()
	css := styleSheet(t)
	_, rules, found := strings.Cut(css, "\n*,\n")
	if !found {
		t.Fatal("the style sheet doesn't begin with the colours")
	}
	if colour := regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|rgb|hsl|oklch`).FindString(rules); colour != "" {
		t.Errorf("a rule contains the colour %s, want a custom property", colour)
	}
	used := map[string]bool{}
	for _, use := range regexp.MustCompile(`var\(--([a-z0-9-]+)\)`).FindAllStringSubmatch(rules, -1) {
		used[use[1]] = true
	}
	for scheme, colours := range schemes(t) {
		for name := range colours {
			if !used[name] {
				t.Errorf("%s: the colour %s is not used", scheme, name)
			}
		}
		for name := range used {
			if colours[name] == "" {
				t.Errorf("%s: colour %s isn't defined", scheme, name)
			}
		}
	}
}

// TestStyleSheet checks that the style sheet loads nothing, as the content security policy requires.
func TestStyleSheet(t *testing.T) {
	t.Parallel()
	css := styleSheet(t)
	for _, loads := range []string{"@import", "url(", "@font-face"} {
		if strings.Contains(css, loads) {
			t.Errorf("the style sheet contains %s, which loads something", loads)
		}
	}
	if strings.Count(css, "{") != strings.Count(css, "}") {
		t.Error("the style sheet has different numbers of { and }")
	}
}
