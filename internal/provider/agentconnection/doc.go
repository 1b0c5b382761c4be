// Package agentconnection provides the tokens that agents may use: connections to tokens of users, and tokens that belong
// to an agent.
package agentconnection
