// Package chart draws values over time as inline SVG: it scales with the page, takes its colours from the page's style
// sheet, and has a text alternative.
package chart
