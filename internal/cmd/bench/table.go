package main

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// table is a Markdown table, aligned so that it is also readable in a terminal.
type table struct {
	header []string
	rows   [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// String returns the table, with the first column aligned left and the others right.
func (t *table) String() string {
	widths := make([]int, len(t.header))
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 3)
		}
	}
	var b strings.Builder
	line := func(cells []string) {
		for i, width := range widths {
			padding := strings.Repeat(" ", width-utf8.RuneCountInString(cells[i]))
			if i == 0 {
				fmt.Fprintf(&b, "| %s%s ", cells[i], padding)
			} else {
				fmt.Fprintf(&b, "| %s%s ", padding, cells[i])
			}
		}
		b.WriteString("|\n")
	}
	line(t.header)
	for i, width := range widths {
		if i == 0 {
			fmt.Fprintf(&b, "| %s ", strings.Repeat("-", width))
		} else {
			fmt.Fprintf(&b, "| %s: ", strings.Repeat("-", width-1))
		}
	}
	b.WriteString("|\n")
	for _, row := range t.rows {
		line(row)
	}
	return b.String()
}

// nothing is shown in a cell without a value.
const nothing = "–"

// seconds formats a duration with three significant digits or more.
func seconds(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 0.1:
		return fmt.Sprintf("%.3f", s)
	case s < 10:
		return fmt.Sprintf("%.2f", s)
	default:
		return fmt.Sprintf("%.1f", s)
	}
}

// megabytes formats kilobytes, of which zero means unknown.
func megabytes(kilobytes int64) string {
	if kilobytes == 0 {
		return nothing
	}
	return fmt.Sprintf("%.0f", float64(kilobytes)/1024)
}

// decimals formats a number with the given number of decimals, unless it is NaN.
func decimals(value float64, digits int) string {
	if value != value {
		return nothing
	}
	return fmt.Sprintf("%.*f", digits, value)
}
