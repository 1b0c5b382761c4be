// Package devserver is a deployment control plane for development and tests: one http.Handler with a SQLite file, or
// memory, behind it.
//
// It validates like the service, walks deployments and revisions through the same states at the pace of
// Config.Rollout, and keeps what it answered with a 2xx. Nothing runs in the background: each request first settles the
// world up to the clock's time, so a test steps the clock instead of waiting, and a restart goes on where the file
// says. Under /dev, when Config.DevAPI is set, it offers what only a development server can: pushes, faults, the
// requests it has seen, and ways to register listeners and integrations.
//
// Where the published description of the service is silent the choices are these:
//   - deleting takes a quarter of the rollout; the name stays taken until then, and a second DELETE answers 404;
//   - a tracing project that is left by a deleted deployment is taken over by the next deployment of that name;
//   - install_command and build_command are accepted for both sources and make no revision;
//   - a rule about one field's form answers 422 with its location, a rule about more than one thing answers 400.
package devserver
