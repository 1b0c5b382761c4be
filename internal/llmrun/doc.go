// Package llmrun reads runs of language models: IDs, times and places in a trace, the model, the events, and the figures
// derived from them.
//
// Package message handles the messages, and package usage tokens and costs. None of them knows Terraform or HTTP.
package llmrun
