# Rules for a plan, as `terraform show -json` or `tofu show -json` prints it. data.json has the values that a team adapts.
#
# What is known only after the apply is denied: a rule that can't see a value must not pass it.
package agentplane.plan

# What a pipeline asks for: unlike an empty deny, it is also false where these rules are missing.
allow if count(deny) == 0

# Anything that isn't a complete plan has nothing to deny, and must not pass.
deny contains "This is not the JSON of a plan that succeeded." if not complete

complete if input.errored == false

# Deployments that the plan creates, updates or replaces.
written contains deployment if {
	some deployment in input.resource_changes
	deployment.type == "agentplane_deployment"
	some action in deployment.change.actions
	action in {"create", "update"}
}

# Images: from approved registries, and by digest.
deny contains message if {
	some deployment in written
	deployment.change.after.source == "external_container"
	image := object.get(deployment.change.after, ["source_revision_config", "image_uri"], "known after apply")
	not approved_image(image)
	message := sprintf("%s: image %v is not from an approved registry, by digest.", [deployment.address, image])
}

deny contains message if {
	some deployment in written
	some kind in ["init_containers", "sidecars"]
	some container in deployment.change.after.source_config.resource_spec[kind]
	image := object.get(container, "image", "known after apply")
	not approved_image(image)
	message := sprintf("%s: image %v is not from an approved registry, by digest.", [deployment.address, image])
}

approved_image(image) if {
	regex.match(`@sha256:[0-9a-f]{64}$`, image)
	some registry in data.agentplane.registries
	startswith(image, sprintf("%s/", [registry]))
}

# Repositories: of approved accounts.
deny contains message if {
	some deployment in written
	deployment.change.after.source == "git_host"
	url := object.get(deployment.change.after, ["source_config", "repo_url"], "known after apply")
	not approved_repository(url)
	message := sprintf("%s: repository %v is not of an approved account.", [deployment.address, url])
}

approved_repository(url) if {
	some account in data.agentplane.repositories
	startswith(url, sprintf("%s/", [account]))
}

# Resources: each field at most its limit. A field that is not set has the installation's default.
deny contains message if {
	some deployment in written
	some field, limit in data.agentplane.limits
	value := deployment.change.after.source_config.resource_spec[field]
	value > limit
	message := sprintf("%s: %s is %v, more than %v.", [deployment.address, field, value, limit])
}

deny contains message if {
	some deployment in written
	some path in [["name"], ["source"], ["source_config"], ["source_config", "resource_spec"]]
	object.get(deployment.change.after_unknown, path, false) == true
	message := sprintf("%s: %s is known only after the apply.", [deployment.address, concat(".", path)])
}

deny contains message if {
	some deployment in written
	some field in ({"init_containers", "sidecars"} | object.keys(data.agentplane.limits))
	object.get(deployment.change.after_unknown, ["source_config", "resource_spec", field], false) == true
	message := sprintf("%s: %s is known only after the apply.", [deployment.address, field])
}

# Protected deployments: never destroyed or replaced, and never without deletion_protection.
deny contains message if {
	some deployment in input.resource_changes
	deployment.type == "agentplane_deployment"
	deployment.change.before.name in data.agentplane.protected
	"delete" in deployment.change.actions
	message := sprintf("%s: %s is protected, and would be destroyed.", [deployment.address, deployment.change.before.name])
}

deny contains message if {
	some deployment in written
	deployment.change.after.name in data.agentplane.protected
	not deployment.change.after.deletion_protection
	message := sprintf("%s: %s is protected, and needs deletion_protection.", [deployment.address, deployment.change.after.name])
}

# Revisions of protected deployments: only for the listed reasons, so that a release changes nothing else.
deny contains message if {
	some deployment in written
	deployment.change.before != null
	deployment.change.after.name in data.agentplane.protected
	deployment.change.after_unknown.latest_revision_id == true
	some reason in reasons(deployment)
	not reason in data.agentplane.reasons
	message := sprintf("%s: %s would get a revision because of %s.", [deployment.address, deployment.change.after.name, reason])
}

reasons(deployment) := changes if {
	changes := deployment.change.after.revision_reasons.changes
	count(changes) > 0
} else := ["a change that is known only after the apply"]
