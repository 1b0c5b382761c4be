// Package chart draws values over time as SVG that stands in a page: it scales with the page, takes its colours from the
// page's style sheet, and says in words what it shows.
package chart
