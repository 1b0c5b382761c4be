// Package process sets what the process of the provider needs: how much memory to trade for CPU time, and which log lines not to format.
package process
