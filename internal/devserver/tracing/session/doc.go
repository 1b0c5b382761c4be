// Package session is the projects to which runs belong. The API calls them sessions, after what they once were.
//
// A project exists from its first run on, or since a request created it, and a workspace always has one: clients query it to learn about
// the workspace. It has the statistics of its root runs, which stand for their traces (project.go), and a dashboard of
// charts whose sections depend on what was logged (dashboard.go).
package session
