package web

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// unknown is shown for a missing value.
const unknown = "–"

// duration formats about three digits: the exact value is in the raw data.
func duration(d *time.Duration) string {
	if d == nil {
		return unknown
	}
	switch abs := d.Abs(); {
	case abs == 0:
		return "0 s"
	case abs < time.Millisecond:
		return strconv.FormatInt(d.Microseconds(), 10) + " µs"
	case abs.Round(time.Millisecond) < time.Second:
		return strconv.FormatInt(d.Round(time.Millisecond).Milliseconds(), 10) + " ms"
	case abs < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + " s"
	case abs.Round(100*time.Millisecond) < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case abs.Round(time.Second) < time.Hour:
		return inUnits(d.Round(time.Second), time.Minute, "min", time.Second, "s")
	case abs.Round(time.Minute) < 48*time.Hour:
		return inUnits(d.Round(time.Minute), time.Hour, "h", time.Minute, "min")
	default:
		return inUnits(d.Round(time.Hour), 24*time.Hour, "d", time.Hour, "h")
	}
}

// inUnits writes a duration in two units, or in the first one if that is all.
func inUnits(d, large time.Duration, largeName string, small time.Duration, smallName string) string {
	text := strconv.FormatInt(int64(d/large), 10) + " " + largeName
	if rest := (d % large).Abs() / small; rest > 0 {
		text += " " + strconv.FormatInt(int64(rest), 10) + " " + smallName
	}
	return text
}

// count formats a number with thousands separators.
func count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// plural is a number of things, by their name for one and for several.
func plural(n int64, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + several
}

// size is a number of bytes.
func size(n int64) string {
	const kilo, mega = 1 << 10, 1 << 20
	switch {
	case n == 1:
		return "1 byte"
	case n < kilo:
		return count(n) + " bytes"
	case n < mega:
		return strconv.FormatFloat(float64(n)/kilo, 'f', 1, 64) + " KiB"
	default:
		return count(n/mega) + strconv.FormatFloat(float64(n%mega)/mega, 'f', 1, 64)[1:] + " MiB"
	}
}

// cost formats an amount of US dollars: to the cent from a dollar on, and to four digits below. The exact value is in the data.
func cost(amount string) string { return costTo(4, amount) }

// exactCost has all digits, for prices and for what is computed from them.
func exactCost(amount string) string {
	if amount == "" {
		return unknown
	}
	return "$" + amount
}

// shortCost is cost for a narrow column, with two digits below a dollar.
func shortCost(amount string) string { return costTo(2, amount) }

func costTo(digits int, amount string) string {
	if amount == "" {
		return unknown
	}
	whole, fraction, _ := strings.Cut(amount, ".")
	value, err := strconv.ParseFloat(amount, 64)
	if err != nil {
		return "$" + amount
	}
	if math.Abs(value) < 1 && len(strings.TrimLeft(fraction, "0")) > digits {
		if value, err = strconv.ParseFloat(strconv.FormatFloat(value, 'g', digits, 64), 64); err != nil {
			return "$" + amount
		}
		whole, fraction, _ = strings.Cut(strconv.FormatFloat(value, 'f', -1, 64), ".")
	}
	if math.Abs(value) >= 1 && (fraction != "" || amount != whole) {
		whole, fraction, _ = strings.Cut(strconv.FormatFloat(value, 'f', 2, 64), ".")
	}
	if dollars, err := strconv.ParseInt(whole, 10, 64); err == nil && dollars != 0 {
		whole = count(dollars)
	}
	if fraction == "" {
		return "$" + whole
	}
	return "$" + whole + "." + fraction
}

// short returns the beginning of a text on one line. It reads only as much as is shown.
func short(length int, text string) string {
	beginning := text[:min(len(text), 8*length)]
	line := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(beginning, "�")), " "))
	if len(line) <= length && len(beginning) == len(text) {
		return string(line)
	}
	return string(line[:min(len(line), length)]) + "…"
}

// maxJSON limits how much of a value a page shows to what people can read.
const maxJSON = 32 << 10

// maxIndentation limits what json.Indent adds: for a long list nested ten thousand levels deep, that is gigabytes.
const maxIndentation = 16 * maxJSON

// indentation estimates how much json.Indent adds to a value, two spaces per level. Empty lists and objects count like
// others.
func indentation(raw []byte) int {
	added, depth, quoted := 0, 0, false
	for i := 0; i < len(raw) && added <= maxIndentation; i++ {
		switch c := raw[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
			if c == '\\' {
				i++ // Skips the escaped character.
			}
		case c == '[' || c == '{':
			depth++
			added += 1 + 2*depth
		case c == ']' || c == '}':
			depth--
			added += 1 + 2*depth
		case c == ',':
			added += 1 + 2*depth
		}
	}
	return added
}

// newJSONText indents a value. A value that isn't JSON, or would be mostly indentation, is shown unchanged.
func newJSONText(raw json.RawMessage) shownJSON {
	var b bytes.Buffer
	if len(raw) > 4*maxJSON || indentation(raw) > maxIndentation || json.Indent(&b, raw, "", "  ") != nil {
		b.Reset()
		b.Write(raw[:min(len(raw), maxJSON)])
		return shownJSON{Text: strings.ToValidUTF8(b.String(), "�"), Omitted: int64(len(raw) - b.Len())}
	}
	omitted := max(0, b.Len()-maxJSON)
	b.Truncate(b.Len() - omitted)
	return shownJSON{Text: strings.ToValidUTF8(b.String(), "�"), Omitted: int64(omitted)}
}

// Explaining returns the line of a message that says what is wrong: the first one, or that at the end of a Python traceback.
func Explaining(message string) string {
	lines := slices.DeleteFunc(strings.Split(message, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
	if len(lines) == 0 {
		return ""
	}
	if strings.HasPrefix(lines[0], "Traceback ") {
		for _, line := range slices.Backward(lines) {
			if line[0] != ' ' && line[0] != '\t' {
				return strings.TrimSpace(line)
			}
		}
	}
	return strings.TrimSpace(lines[0])
}

// artifact shortens what a revision is made of: an image without its registry and path, a commit and a digest to seven digits.
func artifact(reference string) string {
	ref, commit, isCommit := strings.Cut(reference, " at commit ")
	if isCommit {
		return ref + " at " + short(7, commit)
	}
	return longDigest.ReplaceAllString(reference[strings.LastIndexByte(reference, '/')+1:], "$1")
}

var longDigest = regexp.MustCompile(`(@sha256:[0-9a-f]{7})[0-9a-f]+`)
