// Package llmrun reads runs of language models as a whole: ids, times and places in a trace, the model, the events, and
// the figures that follow from them.
//
// What was said is package message, what it cost is package usage. Nothing here knows Terraform or HTTP.
package llmrun
