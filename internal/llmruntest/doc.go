// Package llmruntest has reported cases of inputs, outputs, usage, costs and spans, and what the documentation of their providers and
// libraries says that they mean.
package llmruntest
