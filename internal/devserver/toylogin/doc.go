// Package toylogin is an authorization server for trying things out: it lets everybody in who reaches it from this machine,
// under any name.
package toylogin
