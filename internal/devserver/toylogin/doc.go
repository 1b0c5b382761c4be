// Package toylogin is an authorization server for experiments: it lets anyone on this machine log in under any name.
package toylogin
