package agentplane.plan_test

import data.agentplane.plan

digest := "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

image := sprintf("registry.example.com/agents/chat@%s", [digest])

# A plan with one deployment, which it creates.
created(after) := {"errored": false, "resource_changes": [{
	"address": "agentplane_deployment.chat",
	"type": "agentplane_deployment",
	"change": {"actions": ["create"], "before": null, "after": after, "after_unknown": {"latest_revision_id": true}},
}]}

chat := {
	"name": "chat-dev",
	"source": "external_container",
	"source_config": {"resource_spec": {"cpu": 1, "max_scale": 2, "memory_mb": null}},
	"source_revision_config": {"image_uri": image},
	"deletion_protection": false,
}

prod := object.union(chat, {"name": "chat", "deletion_protection": true})

# A plan that updates prod for these reasons.
updated(reasons) := json.patch(
	created(object.union(prod, {"revision_reasons": {"changes": reasons}})),
	[
		{"op": "replace", "path": "/resource_changes/0/change/actions", "value": ["update"]},
		{"op": "replace", "path": "/resource_changes/0/change/before", "value": prod},
	],
)

# What the policy says of a plan, as one text.
denied(plan_json) := concat("\n", messages) if messages := plan.deny with input as plan_json

test_new_deployment_passes if denied(created(chat)) == ""

test_new_prod_passes if denied(created(prod)) == ""

test_release_is_allowed if plan.allow with input as updated(["source_revision_config.image_uri"])

test_no_plan_is_not_allowed if not plan.allow with input as {}

test_no_plan_is_denied if contains(denied({}), "not the JSON of a plan")

test_failed_plan_is_denied if contains(denied({"errored": true}), "not the JSON of a plan")

test_tag_is_denied if {
	contains(denied(created(object.union(chat, {"source_revision_config": {"image_uri": "registry.example.com/agents/chat:1"}}))), "by digest")
}

test_other_registry_is_denied if {
	other := sprintf("registry.example.com/agents-of-others/chat@%s", [digest])
	contains(denied(created(object.union(chat, {"source_revision_config": {"image_uri": other}}))), "approved registry")
}

test_unknown_image_is_denied if {
	contains(denied(created(object.remove(chat, ["source_revision_config"]))), "known after apply")
}

test_sidecar_is_denied if {
	spec := {"source_config": {"resource_spec": {"sidecars": [{"name": "proxy", "image": "example.org/proxy:1"}]}}}
	contains(denied(created(object.union(chat, spec))), "example.org/proxy:1")
}

repository(url) := object.union(object.remove(chat, ["source", "source_config"]), {
	"source": "git_host",
	"source_config": {"repo_url": url, "resource_spec": null},
})

test_repository_passes if denied(created(repository("https://git.example.com/example-org/chat"))) == ""

test_other_repository_is_denied if {
	contains(denied(created(repository("https://git.example.com/example-org-2/chat"))), "approved account")
}

test_limit_is_denied if {
	contains(denied(created(object.union(chat, {"source_config": {"resource_spec": {"cpu": 8}}}))), "cpu is 8, more than 4")
}

test_unknown_resources_are_denied if {
	every unknown in [true, {"resource_spec": true}, {"resource_spec": {"cpu": true}}, {"resource_spec": {"sidecars": true}}] {
		unknown_source := {"op": "add", "path": "/resource_changes/0/change/after_unknown/source_config", "value": unknown}
		contains(denied(json.patch(created(chat), [unknown_source])), "known only after the apply")
	}
}

test_unknown_name_and_source_are_denied if {
	every field in ["name", "source"] {
		unknown := {"op": "add", "path": sprintf("/resource_changes/0/change/after_unknown/%s", [field]), "value": true}
		contains(denied(json.patch(created(chat), [unknown])), sprintf("%s is known only after the apply", [field]))
	}
}

test_destruction_is_denied if {
	plan_json := json.patch(updated([]), [
		{"op": "replace", "path": "/resource_changes/0/change/actions", "value": ["delete"]},
		{"op": "replace", "path": "/resource_changes/0/change/after", "value": null},
	])
	contains(denied(plan_json), "would be destroyed")
}

test_replacement_is_denied if {
	plan_json := json.patch(
		updated(["created"]),
		[{"op": "replace", "path": "/resource_changes/0/change/actions", "value": ["delete", "create"]}],
	)
	contains(denied(plan_json), "would be destroyed")
}

test_unprotected_prod_is_denied if {
	contains(denied(created(object.union(prod, {"deletion_protection": false}))), "needs deletion_protection")
}

test_release_passes if denied(updated(["source_revision_config.image_uri"])) == ""

test_other_reason_is_denied if {
	contains(denied(updated(["source_revision_config.image_uri", `environment["LOG_LEVEL"]`])), `because of environment["LOG_LEVEL"]`)
}

test_unknown_reason_is_denied if contains(denied(updated([])), "known only after the apply")
