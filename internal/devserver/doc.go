// Package devserver is a deployment control plane and a tracing service for development and tests: one http.Handler with an
// SQLite file or a PostgreSQL database behind it.
//
// It validates like the service, walks deployments and revisions through the same states at the pace of
// Config.Rollout, and keeps what it answered with a 2xx. Rollouts need no background work: each request first brings the
// data up to the clock's time, so a test steps the clock instead of waiting, and a restart continues where the data ends. Only
// figures, the search index and deletions follow behind requests. Config.Dialect chooses the words of the wire and how the service acts; the file has neutral words, so that a
// server of either dialect goes on with it. Under /dev, when Config.DevAPI is set, it offers what only a development server
// can: pushes, faults, its log of requests, and ways to register listeners and integrations.
//
// Where the published description of the service is silent the choices are these:
//   - deleting takes a quarter of the rollout; the name stays taken until then, and a second DELETE answers 404;
//   - a tracing project that is left by a deleted deployment is taken over by the next deployment of that name;
//   - install_command and build_command are accepted for both sources and make no revision;
//   - redeploying a revision builds its commit again; environment and resources stay those of the deployment;
//   - a listener can't be deleted while deployments name it, one that is being deleted included: 409 with their names;
//   - patching a listener replaces its compute_config as a whole;
//   - every workspace is an organization of its own, so OAuth providers are as separate as everything else; a slug that
//     is taken answers 409, and an unknown one 404;
//   - tokens belong to the user of the API key, or to the user without a key whom a request names;
//   - secrets of the Auth service are sealed with a key in a file next to the data file; without that key, users log in again;
//   - a login returns to this server, or to the first of allowed_redirect_uris unless this server is among them;
//   - a login that is denied, fails or takes more than ten minutes is not found by those who wait for it;
//   - a token is refreshed when less than five minutes of its life are left, and renewed by a login that widens it;
//   - the servers that OAuth providers name are asked at public addresses by HTTPS, or on this machine;
//   - a fixed tier is given to compute, and a dedicated one to the database, too; no tier makes a revision;
//   - agents use tokens that they are connected to, and tokens of their own: those serve all users of the agent;
//   - the logs of a revision have a line for each state that it has reached, and those of an image are all deploy logs;
//   - in dialect langsmith, a deletion takes as long again in AWAITING_FINAL_DELETE; what is uploaded to the service has no
//     revision until a patch names it, and there is neither a registry nor a storage behind the addresses that it gives;
//   - an interrupted revision stays INTERRUPTED, one that has ended can't be interrupted: 400;
//   - deleting several deployments answers what was deleted and what was not found;
//   - runs that are logged can be read at once, and are durable when they are acknowledged; logging one again is not an error;
//   - costs follow from the workspace's prices, otherwise from list prices, at the time at which a usage is logged;
//   - figures of a run are those of all below it, and its first token is the earliest of them, after its own start;
//   - what the tracing service doesn't know of a request is ignored, and named in the log;
//   - each use of a feedback token gives new feedback;
//   - a rule about one field's form answers 422 with its location, a rule about more than one thing answers 400.
package devserver
